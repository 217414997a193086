import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../base/files/path-containment.js';
import type { Derived } from './derived.js';

/** What a file holds, whatever its line ends: a checkout on another system is the same source. */
export async function hashSource(directory: string, file: string): Promise<string | undefined> {
  const target = path.join(directory, file);
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile() || !(await isInside(directory, target))) return undefined;
  const text = await readFile(target, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  return `sha256-${createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('base64')}`;
}

/** A file that is no longer what something was derived from. */
export interface ChangedSource {
  readonly file: string;
  readonly problem: 'changed' | 'missing';
}

/** The files that have changed since, or are gone. */
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
