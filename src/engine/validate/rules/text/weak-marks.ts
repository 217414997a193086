import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const weakMarks: Rule = textRule({
  code: 'text/weak-marks',
  summary: 'Texts for models have marks of direction only beside right-to-left letters, and no soft hyphens.',
});
