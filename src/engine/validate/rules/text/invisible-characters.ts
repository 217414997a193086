import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const invisibleCharacters: Rule = textRule({
  code: 'text/invisible-characters',
  summary: 'Texts for models have no invisible characters, except where a script or an emoji needs them.',
});
