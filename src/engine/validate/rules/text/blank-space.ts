import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const blankSpace: Rule = textRule({
  code: 'text/blank-space',
  summary: 'Texts for models have no pages of blank space.',
});
