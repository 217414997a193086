import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const privateCharacters: Rule = textRule({
  code: 'text/private-characters',
  summary: 'Texts for models have no characters for private use.',
});
