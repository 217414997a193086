import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';
import type { DocumentEdit, Fix } from '../extension/diagnostics.js';
import type { Definition } from '../extension/extension.js';
import { kinds } from '../extension/item-kinds.js';
import { type Translation, translate } from '../extension/key-spellings.js';
import { locateInManifest, type Manifest } from '../extension/manifest.js';
import type { Snapshot } from './snapshot.js';

/** Renames the keys of related systems, which are valid, to AgentTools' spelling. Only in data files. */
export function spellingFixes({ manifest, items }: Snapshot): readonly Fix[] {
  const ofItems = items.flatMap(({ definition }) => (definition ? fixesOfDefinition(definition) : []));
  return [...(manifest ? fixesOfManifest(manifest) : []), ...ofItems];
}

function fixesOfManifest(manifest: Manifest): readonly Fix[] {
  const { document, base, translation } = manifest;
  const entries = kinds.flatMap((kind) => {
    const list = translation.value[kind];
    return (Array.isArray(list) ? list : []).flatMap((entry, index) => {
      const { path = [] } = locateInManifest(manifest, [kind, index]);
      return isRecord(entry) ? fixesIn(translate(entry, 'declaration'), document.file, path) : [];
    });
  });
  return [...entries, ...fixesIn(translation, document.file, base)];
}

function fixesOfDefinition({ kind, file, at, translation }: Definition): readonly Fix[] {
  if (file.language !== 'data') return [];
  const ofArguments = kind === 'prompts' ? argumentFixes(translation, file.file, at) : [];
  return [...ofArguments, ...fixesIn(translation, file.file, at)];
}

/** Fixes of one object at a path. */
function fixesIn({ value, origins, converted }: Translation, file: string, at: DocumentPath): readonly Fix[] {
  const moved = [...origins].filter(([, origin]) => origin.length > 1);
  const renamed = [...origins].flatMap(([key, origin]): Fix[] => {
    const [theirs] = origin;
    if (theirs === undefined || origin.length > 1) return [];
    const path = [...at, theirs];
    const rename: DocumentEdit = { path, rename: key };
    const edits = converted.includes(key) ? [{ path, value: withNames(value[key]) }, rename] : [rename];
    return [{ file, edits, what: `renames "${theirs}" to "${key}"` }];
  });
  return [...renamed, ...flattening(moved, value, file, at)];
}

/** Writes fields that are pairs of name and spec as an object, which reads better. JavaScript would reorder numbers. */
function withNames(value: unknown): unknown {
  const isPairs =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => Array.isArray(one) && one.length === 2 && /^[^\d].*$/.test(String(one[0])));
  return isPairs ? Object.fromEntries(value as [string, unknown][]) : value;
}

/** Moves the keys of a nested object of a server into the server, unless the object has other keys. */
function flattening(
  moved: readonly (readonly [string, DocumentPath])[],
  value: Readonly<Record<string, unknown>>,
  file: string,
  at: DocumentPath,
): readonly Fix[] {
  const holder = moved[0]?.[1][0];
  if (holder === undefined || value.evaluator !== undefined) return [];
  const edits = moved.map(([key]): DocumentEdit => ({ path: [...at, key], value: withNames(value[key]) }));
  const names = moved.map(([key]) => `"${key}"`).join(', ');
  const what = `moves ${names} out of "${holder}"`;
  return [{ file, edits: [...edits, { path: [...at, holder], remove: true }], what }];
}

function argumentFixes({ value, origins }: Translation, file: string, at: DocumentPath): readonly Fix[] {
  const list = Array.isArray(value.arguments) ? value.arguments : [];
  return list.flatMap((entry, index) =>
    Object.keys(isRecord(entry) ? entry : {}).flatMap((theirs): Fix[] => {
      const key = theirs.charAt(0).toLowerCase() + theirs.slice(1);
      if (key === theirs) return [];
      const path = [...at, ...(origins.get('arguments') ?? ['arguments']), index, theirs];
      return [{ file, edits: [{ path, rename: key }], what: `renames "${theirs}" to "${key}"` }];
    }),
  );
}
