import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const overrideInstructions: Rule = textRule({
  code: 'text/override-instructions',
  summary: 'Texts for models have no orders to ignore other instructions.',
});
