import type { DocumentPath } from '../../base/files/document-path.js';
import { type Kind, kinds, singular } from '../../extension/item-kinds.js';
import { locateInManifest, readDeclaration, readToolkit } from '../../extension/manifest.js';
import { defineRule, type Rule } from './rule.js';

export const duplicateDeclaration: Rule = defineRule({
  code: 'duplicate-declaration',
  severity: 'error',
  summary: 'No item is declared twice in one kind, and no toolkit has a tool that is declared elsewhere.',
  *check({ manifest, toolkits }) {
    if (!manifest) return;
    for (const kind of kinds) {
      const list = manifest.translation.value[kind];
      if (!Array.isArray(list)) continue;
      const seen = new Map<string, number>();
      for (const { what, name, path } of declaredNames(kind, list)) {
        const key = `${what} "${name}"`;
        const index = Number(path[0]);
        const first = seen.get(key);
        if (first === undefined) seen.set(key, index);
        else {
          const facts = `The ${key} is declared already, as entry ${first + 1} of "${kind}".`;
          yield { location: locateInManifest(manifest, [kind, ...path]), facts };
        }
      }
    }
    for (const { what, taken } of toolkits) {
      for (const { item: name, location } of taken) {
        const facts = `${what} has a tool "${name}", which is declared elsewhere already.`;
        yield { location, item: { kind: 'tool', name }, facts };
      }
    }
  },
  message: (reason) => `${reason} Remove one of the two.`,
});

/** The names that a list of the manifest declares, with their paths. */
function* declaredNames(
  kind: Kind,
  list: readonly unknown[],
): Iterable<{ readonly what: string; readonly name: string; readonly path: DocumentPath }> {
  for (const [index, entry] of list.entries()) {
    const toolkit = kind === 'tools' ? readToolkit(entry, [index]) : undefined;
    if (toolkit) yield { what: 'toolkit', name: toolkit.name, path: toolkit.path };
    const declared = toolkit ? (toolkit.tools ?? []) : [readDeclaration(kind, entry, [index])];
    for (const one of declared) if (one) yield { what: singular[kind], name: one.name, path: one.path };
  }
}
