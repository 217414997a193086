import { faultsOfKind } from '../facts/item-fault.js';
import { defineRule, type Rule } from './rule.js';

export const invalidTool: Rule = defineRule({
  code: 'invalid-tool',
  severity: 'error',
  summary: 'The keys of a tool have valid values.',
  check: ({ items }) => faultsOfKind('tools', items),
  message: (reason) => reason,
});
