import path from 'node:path';
import { listFolderNames } from '../base/files/disk.js';
import type { Kind } from './item-kinds.js';

/** How a definition file is read. */
export type Language = 'code' | 'data' | 'typescript' | 'html';

/**
 * The file endings of definitions, the one that wins first: compiled code, then data, then source.
 * TypeScript counts only where Node strips types and never in an installed package.
 */
export const formats: readonly { readonly extension: string; readonly language: Language }[] = [
  { extension: '.js', language: 'code' },
  { extension: '.mjs', language: 'code' },
  { extension: '.cjs', language: 'code' },
  { extension: '.json', language: 'data' },
  { extension: '.jsonc', language: 'data' },
  { extension: '.ts', language: 'typescript' },
  { extension: '.mts', language: 'typescript' },
  { extension: '.cts', language: 'typescript' },
];

const appFormats: typeof formats = [{ extension: '.html', language: 'html' }];

/** A file that defines one item, or (`combined`) all items of a kind by name. */
export interface DefinitionFile {
  /** Relative to the package folder, with `/`. */
  readonly file: string;
  readonly language: Language;
  readonly combined: boolean;
}

/** The definition files that exist below a root, found by listing its folders once. */
export interface DefinitionFiles {
  readonly rootExists: boolean;
  /** Candidates for an item, the one that counts first: its own files, then combined ones. */
  find(kind: Kind, item: string): readonly DefinitionFile[];
  /** Items that have a file of their own, declared or not. */
  items(kind: Kind): readonly string[];
  combined(kind: Kind): readonly DefinitionFile[];
  /** The file with what `derive` found out, if there is one. */
  readonly derived: string | undefined;
}

/** What `derive` writes into the root. */
export const derivedFile = 'derived.json';

const none: ReadonlySet<string> = new Set();

/** Lists the definition files of a package. An absent root has none. */
export async function listDefinitionFiles(directory: string, root: string): Promise<DefinitionFiles> {
  const base = path.join(directory, root);
  const found = listFolderNames(base);
  const rootEntries = new Set(found);
  const folders = new Map<string, ReadonlySet<string>>();
  for (const name of rootEntries) folders.set(name, new Set(listFolderNames(path.join(base, name))));
  const relative = path.posix.normalize(root.replaceAll('\\', '/')).replace(/^\.\//, '').replace(/\/$/, '');
  const prefix = relative === '.' || relative === '' ? '' : `${relative}/`;

  const matching = (
    names: ReadonlySet<string>,
    stem: string,
    kind: Kind,
    folder: string,
    combined: boolean,
  ) =>
    (kind === 'apps' ? appFormats : formats)
      .filter(({ extension }) => names.has(stem + extension))
      .map(({ extension, language }) => ({
        file: `${prefix}${folder}${stem}${extension}`,
        language,
        combined,
      }));

  const combined = (kind: Kind) => (kind === 'apps' ? [] : matching(rootEntries, kind, kind, '', true));

  return {
    rootExists: found !== undefined,
    combined,
    derived: rootEntries.has(derivedFile) ? `${prefix}${derivedFile}` : undefined,
    find: (kind, item) => [
      ...matching(folders.get(kind) ?? none, item, kind, `${kind}/`, false),
      ...combined(kind),
    ],
    items(kind) {
      const known = kind === 'apps' ? appFormats : formats;
      const stems = [...(folders.get(kind) ?? none)].flatMap((name) => {
        const format = known.find(
          ({ extension }) => name.endsWith(extension) && !name.endsWith(`.d${extension}`),
        );
        return format ? [name.slice(0, -format.extension.length)] : [];
      });
      return [...new Set(stems)].sort();
    },
  };
}
