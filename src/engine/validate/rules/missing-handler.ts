import { isSerious } from '../../extension/describe-fault.js';
import { locate } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

export const missingHandler: Rule = defineRule({
  code: 'missing-handler',
  severity: 'error',
  summary: 'A tool has a handler, and each function that a definition names exists.',
  *check({ items }) {
    for (const { kind, ref, definition, faults, callables } of items) {
      if (!definition) continue;
      const what = `${ref.kind} "${ref.name}"`;
      for (const fault of faults) {
        if (kind !== 'tools' || fault.path[0] !== 'handler' || !isSerious(fault)) continue;
        const reason = fault.problem === 'missing' ? 'is missing' : 'is unusable';
        const facts = `"handler" of ${what} ${reason}. Expected ${fault.expected}.`;
        yield { location: locate(definition, ['handler']), item: ref, facts };
      }
      for (const { fault, label, location, isPlace } of callables) {
        if (fault?.kind === 'missing' && !isPlace)
          yield { location, item: ref, facts: `"${label}" of ${what} ${fault.reason}.` };
      }
    }
  },
  message: (reason) => reason.replace(/([.!?])\.$/, '$1'),
});
