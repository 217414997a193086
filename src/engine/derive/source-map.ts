import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside, pathFault } from '../base/files/path-containment.js';
import { decodeUriText } from '../base/text-codecs.js';
import { isRecord } from '../base/value-checks.js';

/** Larger maps are skipped: they hold too many sources. */
const maxMapBytes = 20 * 1024 * 1024;

/** TypeScript sources of a compiled module, from its source map. */
export interface MappedSources {
  /** Files of the package that exist, relative to it, with `/`. */
  readonly sources: readonly string[];
  /** The file of the map; undefined if the map is inline or missing. */
  readonly map: string | undefined;
}

/** Reads the sources that the source map of a module names. @see ECMA-426, 11.1.2 and 9 */
export async function readMappedSources(directory: string, file: string): Promise<MappedSources> {
  const nothing: MappedSources = { sources: [], map: undefined };
  const text = await readFile(path.join(directory, file), 'utf8').catch(() => '');
  const url = [...text.matchAll(/^[ \t]*\/\/[#@] sourceMappingURL=(\S+)[ \t]*$/gm)].at(-1)?.[1];
  if (url === undefined) return nothing;
  const folder = path.posix.dirname(file);
  const [, inline] = /^data:application\/json[^,]*;base64,(.*)$/.exec(url) ?? [];
  if (inline !== undefined) {
    return {
      sources: await keepExistingFiles(
        directory,
        folder,
        parseSourceMap(Buffer.from(inline, 'base64').toString()),
      ),
      map: undefined,
    };
  }
  const map = path.posix.join(folder, decodeUriText(url));
  if (url.includes(':') || pathFault(map)) return nothing;
  const target = path.join(directory, map);
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile() || info.size > maxMapBytes || !(await isInside(directory, target))) return nothing;
  const sources = await keepExistingFiles(
    directory,
    path.posix.dirname(map),
    parseSourceMap(await readFile(target, 'utf8')),
  );
  return { sources, map };
}

function parseSourceMap(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, ''));
    if (!isRecord(value) || !Array.isArray(value.sources)) return [];
    const root =
      typeof value.sourceRoot === 'string' && value.sourceRoot !== '' ? `${value.sourceRoot}/` : '';
    return value.sources.flatMap((source) => (typeof source === 'string' ? [root + source] : []));
  } catch {
    return [];
  }
}

async function keepExistingFiles(
  directory: string,
  folder: string,
  named: readonly string[],
): Promise<readonly string[]> {
  const files = named
    .filter((source) => /\.[cm]?tsx?$/.test(source) && !source.includes(':'))
    .map((source) => path.posix.join(folder, source))
    .filter((file) => !pathFault(file) && !file.split('/').includes('node_modules'));
  const found = await Promise.all(
    [...new Set(files)].map(async (file) =>
      (await isInside(directory, path.join(directory, file))) ? [file] : [],
    ),
  );
  return found.flat();
}
