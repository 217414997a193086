import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const concealment: Rule = textRule({
  code: 'text/concealment',
  summary: 'Texts for models have no orders to hide something from the user.',
});
