import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const hiddenBytes: Rule = textRule({
  code: 'text/hidden-bytes',
  summary: 'Texts for models have no bytes in variation selectors.',
});
