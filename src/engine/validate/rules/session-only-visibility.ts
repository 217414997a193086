import type { Snapshot } from '../snapshot.js';
import { defineRule, type Rule } from './rule.js';

export const sessionOnlyVisibility: Rule = defineRule({
  code: 'session-only-visibility',
  severity: 'warning',
  summary: 'A list hook uses more than the session, or the catalog shows the hidden items too.',
  *check(snapshot) {
    for (const { kind, name: server, ref, callables, definition } of snapshot.items) {
      const isCatalog = definition?.value.toolList === 'catalog' || servesCatalog(server, snapshot);
      if (kind !== 'servers' || isCatalog) continue;
      for (const { label, location, contextMembers = [] } of callables) {
        if (!label.startsWith('list.') || !contextMembers.includes('session')) continue;
        if (contextMembers.includes('auth')) continue;
        yield { location, item: ref, facts: { server, hook: label } };
      }
    }
  },
  message: ({ server, hook }) =>
    `"${hook}" of server "${server}" uses the session only. Clients of MCP 2026-07-28 have no session, so they never see the items that it unlocks. Use "auth" too, or serve "catalog", which shows hidden items to models.`,
});

/** True if the server lists the built-in tool `catalog`, which also shows hidden items. */
function servesCatalog(name: string, { servers, manifest }: Snapshot): boolean {
  if (manifest?.declarations.tools.some((tool) => tool.name === 'catalog')) return false;
  const server = servers.find((one) => one.name === name);
  return server?.entries.some(({ kind, reference }) => kind === 'tools' && reference === 'catalog') ?? false;
}
