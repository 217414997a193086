import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../base/files/path-containment.js';
import type { Derived } from './derived.js';

/**
 * Returns a hash of a file's text; undefined if it cannot be read or is outside the package. Ignores the
 * style of line ends, so that a checkout on another system has the same hash.
 */
export async function hashSource(directory: string, file: string): Promise<string | undefined> {
  const target = path.join(directory, file);
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile() || !(await isInside(directory, target))) return undefined;
  const text = await readFile(target, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  return `sha256-${createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('base64')}`;
}

/** A source file that no longer matches the derived data. */
export interface ChangedSource {
  readonly file: string;
  readonly problem: 'changed' | 'missing';
}

/** Returns the files that were changed or removed since. */
export async function changedSources(
  directory: string,
  { files }: Derived,
): Promise<readonly ChangedSource[]> {
  const found = Object.entries(files).map(async ([file, fingerprint]): Promise<ChangedSource | undefined> => {
    const now = await hashSource(directory, file);
    if (now === fingerprint) return undefined;
    return { file, problem: now === undefined ? 'missing' : 'changed' };
  });
  return (await Promise.all(found)).filter((one) => one !== undefined);
}
