import type { DocumentPath } from '../../base/files/document-path.js';
import { isRecord } from '../../base/value-checks.js';
import type { Location } from '../../extension/diagnostics.js';
import { kinds } from '../../extension/item-kinds.js';
import { type SpellingConflict, translate } from '../../extension/key-spellings.js';
import { locateInManifest, type Manifest } from '../../extension/manifest.js';
import { defineRule, type Rule } from './rule.js';

export const conflictingSpelling: Rule = defineRule({
  code: 'conflicting-spelling',
  severity: 'error',
  summary: 'No key has two spellings.',
  *check({ manifest, items }) {
    for (const { location, conflict } of manifest ? inManifest(manifest) : []) {
      yield { location, facts: { what: 'The manifest', conflict } };
    }
    for (const { ref, definition } of items) {
      if (!definition) continue;
      const { file, at, translation } = definition;
      for (const conflict of translation.conflicts) {
        const location = { file: file.file, path: [...at, ...conflict.path], key: true };
        yield { location, item: ref, facts: { what: `The ${ref.kind} "${ref.name}"`, conflict } };
      }
    }
  },
  message: ({ what, conflict: { path, ours } }) =>
    `${what} has both "${ours}" and "${path.at(-1)}", which mean the same. "${ours}" counts; remove the other.`,
});

function* inManifest(manifest: Manifest): Iterable<{ location: Location; conflict: SpellingConflict }> {
  const { document, base, translation } = manifest;
  const at = (path: DocumentPath): Location => ({ file: document.file, path, key: true });
  for (const conflict of translation.conflicts) yield { location: at([...base, ...conflict.path]), conflict };
  for (const kind of kinds) {
    const list = translation.value[kind];
    for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
      if (!isRecord(entry)) continue;
      const { path = [] } = locateInManifest(manifest, [kind, index]);
      for (const conflict of translate(entry, 'declaration').conflicts) {
        yield { location: at([...path, ...conflict.path]), conflict };
      }
    }
  }
}
