import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const encodedText: Rule = textRule({
  code: 'text/encoded-text',
  summary: 'Texts for models have no long encoded texts.',
});
