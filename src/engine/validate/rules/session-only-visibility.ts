import { showsHidden } from '../facts/servers.js';
import { defineRule, type Rule } from './rule.js';

export const sessionOnlyVisibility: Rule = defineRule({
  code: 'session-only-visibility',
  severity: 'warning',
  summary: 'A list hook uses more than the session, or the catalog shows the hidden items too.',
  *check(snapshot) {
    for (const item of snapshot.items) {
      const { kind, name: server, ref, callables } = item;
      if (kind !== 'servers' || showsHidden(item, snapshot)) continue;
      for (const { label, location, contextMembers = [] } of callables) {
        if (!label.startsWith('list.') || !contextMembers.includes('session')) continue;
        if (['auth', 'meta'].some((member) => contextMembers.includes(member))) continue;
        yield { location, item: ref, facts: { server, hook: label } };
      }
    }
  },
  message: ({ server, hook }) =>
    `"${hook}" of server "${server}" uses the session only. Clients of MCP 2026-07-28 have no session, so they never see the items that it unlocks. Use "auth" or "meta" too, or serve "catalog", which shows hidden items to models.`,
});
