import { faultsOfKind } from '../facts/item-fault.js';
import { defineRule, type Rule } from './rule.js';

export const invalidResource: Rule = defineRule({
  code: 'invalid-resource',
  severity: 'error',
  summary: 'A resource has a unique URI and one content, and its keys have valid values.',
  *check({ items, servers }) {
    yield* faultsOfKind('resources', items);
    for (const { content, ref } of items) {
      if (content?.fault !== 'missing') continue;
      const facts = `Resource "${ref.name}" has an unusable "file". There is no file ${content.file} in the package.`;
      yield { location: content.location, item: ref, facts };
    }
    for (const { name, ref, entries } of servers) {
      const seen = new Map<string, string | undefined>();
      for (const { kind, address, reference, location } of entries) {
        if (kind !== 'resources' || address === undefined) continue;
        if (!seen.has(address)) seen.set(address, reference);
        else {
          const first = seen.get(address);
          const owner = first === undefined ? 'another resource' : `resource "${first}"`;
          const facts = `Server "${name}" serves "${address}" already, from ${owner}. Give each resource a unique URI.`;
          yield { location, item: ref, facts };
        }
      }
    }
  },
  message: (reason) => reason,
});
