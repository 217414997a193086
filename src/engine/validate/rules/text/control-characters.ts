import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const controlCharacters: Rule = textRule({
  code: 'text/control-characters',
  summary: 'Texts for models have no control characters but tabs and line breaks.',
});
