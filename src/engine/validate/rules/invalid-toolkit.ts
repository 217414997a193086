import { describeFault, isSerious } from '../../extension/describe-fault.js';
import { defineRule, type Rule } from './rule.js';

export const invalidToolkit: Rule = defineRule({
  code: 'invalid-toolkit',
  severity: 'error',
  summary: 'A toolkit holds tools with different names, and its keys have valid values.',
  *check({ toolkits, items, servers }) {
    for (const { what, ref, toolkit, faults } of toolkits) {
      const item = ref && { item: ref };
      for (const fault of faults.filter(isSerious)) {
        const location = { file: toolkit.file.file, path: [...toolkit.at, ...fault.path] };
        yield { location, ...item, facts: describeFault(what, fault) };
      }
      for (const { location, message } of toolkit.faults) yield { location, ...item, facts: message };
    }
    for (const { error, ref } of items) {
      if (error?.code === 'invalid-toolkit')
        yield { location: error.location, item: ref, facts: error.message };
    }
    for (const { ref, entries } of servers) {
      for (const { toolkitFaults = [] } of entries) {
        for (const { location, message } of toolkitFaults) yield { location, item: ref, facts: message };
      }
    }
  },
  message: (reason) => reason,
});
