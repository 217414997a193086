import { checkShape } from '../../extension/check-shape.js';
import { overrideShapes } from '../../extension/definition-shapes.js';
import { describeFault } from '../../extension/describe-fault.js';
import { evaluatorKeys } from '../../extension/key-spellings.js';
import { locate } from '../../runtime/read-definition.js';
import { entryLabel } from '../facts/entries.js';
import { faultsOfKind } from '../facts/item-fault.js';
import { defineRule, type Rule } from './rule.js';

export const invalidServer: Rule = defineRule({
  code: 'invalid-server',
  severity: 'error',
  summary:
    'The keys of a server have valid values, and its list entries change and fix only what can be changed.',
  *check({ items, servers, sandboxes }) {
    yield* faultsOfKind('servers', items);
    for (const { ref, faults } of sandboxes) {
      for (const { location, message } of faults) yield { location, item: ref, facts: message };
    }
    for (const { kind, ref, definition } of items) {
      if (kind !== 'servers' || !definition) continue;
      for (const key of evaluatorKeys) {
        if (definition.value[key] === undefined) continue;
        const facts = `Server "${ref.name}" has an unusable "${key}". Expected an object with keys such as "Tools".`;
        yield { location: locate(definition, [key]), item: ref, facts };
      }
    }
    for (const { name, ref, entries, lostSkills } of servers) {
      for (const { code, location, message } of lostSkills) {
        if (code === 'invalid-server') yield { location, item: ref, facts: message };
      }
      for (const { kind, override, fixFaults = [], faults = [], reference, location } of entries) {
        for (const { location: at, message } of faults) yield { location: at, item: ref, facts: message };
        if (!override) continue;
        const { path = [], ...place } = location;
        const entryPath = path.at(-1) === 'use' ? path.slice(0, -1) : path;
        const what = `Server "${name}", ${entryLabel(reference, entryPath)},`;
        for (const fault of checkShape(override, overrideShapes[kind])) {
          const at = { ...place, path: [...entryPath, ...fault.path], key: fault.problem === 'unknown' };
          yield { location: at, item: ref, facts: describeFault(what, fault) };
        }
        for (const { path: own, reason } of fixFaults) {
          const facts = `${what} ${reason}`;
          yield { location: { ...place, path: [...entryPath, ...own] }, item: ref, facts };
        }
      }
    }
  },
  message: (reason) => reason,
});
