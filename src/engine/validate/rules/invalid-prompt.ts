import { faultsOfKind } from '../facts/item-fault.js';
import { defineRule, type Rule } from './rule.js';

export const invalidPrompt: Rule = defineRule({
  code: 'invalid-prompt',
  severity: 'error',
  summary: 'A prompt has content or messages, and its keys have valid values.',
  check: ({ items }) => faultsOfKind('prompts', items),
  message: (reason) => reason,
});
