import { defineRule, type Rule } from './rule.js';

export const missingUpstream: Rule = defineRule({
  code: 'missing-upstream',
  severity: 'error',
  summary: 'The files, folders, packages and functions that an upstream server needs exist.',
  *check({ items }) {
    for (const { ref, callables, upstreams = [] } of items) {
      for (const { fault, label, location, isPlace } of callables) {
        if (fault?.kind !== 'missing' || !isPlace) continue;
        yield { location, item: ref, facts: `"${label}" of ${ref.kind} "${ref.name}" ${fault.reason}` };
      }
      for (const { what, fault } of upstreams) {
        if (!fault || fault.kind === 'outside') continue;
        const { kind, message, location } = fault;
        // A dependency that is missing here may exist after this package is installed.
        const isPromised = kind === 'missing' && location.path?.at(-1) === 'package';
        const facts = `${what.replace(/,$/, '')}: ${message}`;
        yield { location, item: ref, facts, ...(isPromised && { severity: 'warning' as const }) };
      }
    }
  },
  message: (reason) => `${reason.replace(/[.]$/, '')}.`,
});
