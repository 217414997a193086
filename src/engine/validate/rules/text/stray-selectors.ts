import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const straySelectors: Rule = textRule({
  code: 'text/stray-selectors',
  summary: 'Variation selectors in texts for models follow characters that have variants.',
});
