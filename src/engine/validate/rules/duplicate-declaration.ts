import { kinds, singular } from '../../extension/kinds.js';
import { locateInManifest, readDeclaration } from '../../extension/manifest.js';
import { defineRule, type Rule } from './rule.js';

export const duplicateDeclaration: Rule = defineRule({
  code: 'duplicate-declaration',
  severity: 'error',
  summary: 'No item is declared twice in one kind.',
  *check({ manifest }) {
    if (!manifest) return;
    for (const kind of kinds) {
      const list = manifest.translation.value[kind];
      if (!Array.isArray(list)) continue;
      const seen = new Map<string, number>();
      for (const [index, entry] of list.entries()) {
        const name = readDeclaration(kind, entry, [])?.name;
        if (name === undefined) continue;
        const first = seen.get(name);
        if (first === undefined) seen.set(name, index);
        else yield { location: locateInManifest(manifest, [kind, index]), facts: { kind, name, first } };
      }
    }
  },
  message: ({ kind, name, first }) =>
    `The ${singular[kind]} "${name}" is declared already, as entry ${first + 1} of "${kind}". Remove one of the two.`,
});
