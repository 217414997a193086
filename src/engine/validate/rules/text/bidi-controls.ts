import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const bidiControls: Rule = textRule({
  code: 'text/bidi-controls',
  summary: 'Texts for models have no controls that change their order on the screen.',
});
