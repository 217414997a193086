import type { Kind } from '../../extension/item-kinds.js';
import { isWireName } from '../../extension/names.js';
import { definitionLabel, locate } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

export const invalidWireName: Rule = defineRule({
  code: 'invalid-wire-name',
  severity: 'error',
  summary: 'The name that clients see of a tool is 1 to 128 of A-Z a-z 0-9 _ . - and no other name is empty.',
  *check({ items, servers }) {
    for (const { kind, ref, definition } of items) {
      const name = definition?.value.name;
      if (!definition || typeof name !== 'string' || isUsable(kind, name)) continue;
      yield {
        location: locate(definition, ['name']),
        item: ref,
        facts: { what: definitionLabel(definition), name },
      };
    }
    for (const { name: server, ref, entries } of servers) {
      for (const { kind, override, reference, location } of entries) {
        const name = override?.name;
        if (typeof name !== 'string' || isUsable(kind, name)) continue;
        const path = [...(location.path ?? []).slice(0, -1), 'name'];
        const what = `Server "${server}", entry "${reference}",`;
        yield { location: { ...location, path }, item: ref, facts: { what, name } };
      }
    }
  },
  message: ({ what, name }) =>
    name === ''
      ? `${what} has an empty name.`
      : `${what} has the wire name "${name}". Expected 1 to 128 of A-Z a-z 0-9 _ . -`,
});

function isUsable(kind: Kind, name: string): boolean {
  return kind === 'tools' ? isWireName(name) : kind === 'servers' || name !== '';
}
