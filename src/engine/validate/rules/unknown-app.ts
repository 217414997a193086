import { defineRule, type Rule } from './rule.js';

export const unknownApp: Rule = defineRule({
  code: 'unknown-app',
  severity: 'error',
  summary:
    'Servers and tools name only apps that their extension declares, that are built in, or that another package declares.',
  *check({ servers, lostApps }) {
    for (const { name, ref, entries } of servers) {
      for (const { kind, reference, lost, location, lostApp } of entries) {
        if (lostApp && !lostApp.isForeign) {
          const facts = { what: `Server "${name}" gives a tool`, ...lostApp };
          yield { location: lostApp.location, item: ref, facts };
        }
        if (kind !== 'apps' || !lost || lost.isForeign) continue;
        yield {
          location,
          item: ref,
          facts: { what: `Server "${name}" lists`, reference, reason: lost.reason },
        };
      }
    }
    for (const { tool, reference, reason, location, isForeign } of lostApps) {
      if (isForeign) continue;
      yield { location, item: tool.ref, facts: { what: `Tool "${tool.name}" names`, reference, reason } };
    }
  },
  message: ({ what, reference, reason }) => `${what} the app "${reference}", which ${reason}`,
});
