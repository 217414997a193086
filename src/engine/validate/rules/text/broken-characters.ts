import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const brokenCharacters: Rule = textRule({
  code: 'text/broken-characters',
  summary: 'Texts for models are valid Unicode.',
});
