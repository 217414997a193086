import path from 'node:path';
import { listFolderNames } from '../base/files/disk.js';
import { isTestFile } from './case-file-names.js';
import type { Kind } from './item-kinds.js';

/** Format of a definition file. */
export type Language = 'code' | 'data' | 'typescript' | 'html';

/**
 * File extensions of definitions, highest priority first: compiled code, then data, then source. TypeScript
 * counts only if Node strips types, and never in an installed package.
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

/** Existing definition files below a root. Each folder is listed once. */
export interface DefinitionFiles {
  readonly rootExists: boolean;
  /** Returns the candidates for an item, highest priority first: its own files, then combined ones. */
  find(kind: Kind, item: string): readonly DefinitionFile[];
  /** Returns the items that have their own file, declared or not. */
  items(kind: Kind): readonly string[];
  combined(kind: Kind): readonly DefinitionFile[];
  /** The file that `derive` wrote; undefined if missing. */
  readonly derived: string | undefined;
}

/** File name that `derive` writes into the root. */
export const derivedFile = 'derived.json';

const none: ReadonlySet<string> = new Set();

/** Lists the definition files of a package. A missing root has none. */
export async function listDefinitionFiles(directory: string, root: string): Promise<DefinitionFiles> {
  const base = path.join(directory, root);
  const found = listFolderNames(base);
  const rootEntries = new Set(found);
  const folders = new Map<string, ReadonlySet<string>>();
  for (const name of rootEntries) {
    const names = listFolderNames(path.join(base, name)) ?? [];
    folders.set(name, new Set(names.filter((file) => !isTestFile(file))));
  }
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
