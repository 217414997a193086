import { singular } from '../../extension/item-kinds.js';
import { sameNames } from '../facts/servers.js';
import { defineRule, type Rule } from './rule.js';

export const duplicateWireName: Rule = defineRule({
  code: 'duplicate-wire-name',
  severity: 'warning',
  summary: 'No two tools, and no two prompts, of a server show clients the same name.',
  *check({ servers }) {
    for (const { name: server, ref, entries } of servers) {
      for (const kind of ['tools', 'prompts'] as const) {
        for (const { entry, first, servedAs } of sameNames(entries.filter((one) => one.kind === kind))) {
          const facts = {
            server,
            kind: singular[kind],
            name: entry.wireName,
            servedAs,
            first: first.reference,
            own: entry.reference,
          };
          yield { location: entry.location, item: ref, facts };
        }
      }
    }
  },
  message: ({ server, kind, name, servedAs, first, own }) =>
    `Server "${server}" has several ${kind}s with the wire name "${name}": ${first ?? 'a definition in its list'} and ${own ?? 'a definition in its list'}. They are served with numbers, this one as "${servedAs}". Give each a different "name".`,
});
