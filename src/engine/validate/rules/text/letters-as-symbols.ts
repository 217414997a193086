import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const lettersAsSymbols: Rule = textRule({
  code: 'text/letters-as-symbols',
  summary: 'Texts for models have no words of mathematical letters.',
});
