import path from 'node:path';
import { readTextFileSync, statFile } from '../base/files/disk.js';
import { parseDocument } from '../base/files/document.js';
import { isRecord, isString } from '../base/value-checks.js';

/** The folder that the compiler writes to `root`, by `rootDir` and `outDir`. Undefined without them. */
export async function findSources(directory: string, root: string): Promise<string | undefined> {
  const file = path.join(directory, 'tsconfig.json');
  if (!statFile(file)?.isFile()) return undefined;
  const value = await parseDocument(readTextFileSync(file), 'tsconfig.jsonc');
  const options = isRecord(value) ? value.compilerOptions : undefined;
  const { rootDir, outDir } = isRecord(options) ? options : {};
  if (!isString(rootDir) || !isString(outDir)) return undefined;
  const inside = path.posix.relative(normalize(outDir), normalize(root));
  return inside.startsWith('..') ? undefined : path.posix.join(normalize(rootDir), inside);
}

function normalize(folder: string): string {
  return path.posix.normalize(folder.replaceAll('\\', '/')).replace(/\/$/, '');
}

/** A sentence about a source of a definition that is not compiled; else empty. `definition` has no ending. */
export async function describeUncompiled(
  directory: string,
  root: string,
  definition: string,
): Promise<string> {
  const sources = await findSources(directory, root).catch(() => undefined);
  if (sources === undefined) return '';
  const files = ['.ts', '.mts', '.cts'].map((ending) => `${path.posix.join(sources, definition)}${ending}`);
  const file = files.find((one) => statFile(path.join(directory, one)));
  return file === undefined ? '' : ` Its source ${file} is not compiled: npm run build`;
}
