import { defineRule, type Rule } from './rule.js';

export const unresolvedReference: Rule = defineRule({
  code: 'unresolved-reference',
  severity: 'warning',
  summary: 'References to items of other packages resolve. An error with --resolve.',
  *check({ servers, lostApps }) {
    for (const { name, ref, entries, lostSkills } of servers) {
      const what = `Server "${name}"`;
      for (const { code, location, message: reason } of lostSkills) {
        if (code === 'unresolved-reference') yield { location, item: ref, facts: { what, reason } };
      }
      for (const { lost, location, lostApp } of entries) {
        if (lost?.isForeign) yield { location, item: ref, facts: { what, reason: lost.reason } };
        if (!lostApp?.isForeign) continue;
        yield { location: lostApp.location, item: ref, facts: { what, reason: lostApp.reason } };
      }
    }
    for (const { tool, reason, location, isForeign } of lostApps) {
      if (isForeign) yield { location, item: tool.ref, facts: { what: `Tool "${tool.name}"`, reason } };
    }
  },
  message: ({ what, reason }) => `${what}: ${reason}`,
});
