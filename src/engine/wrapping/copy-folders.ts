import { cp, lstat } from 'node:fs/promises';
import path from 'node:path';
import { guardWrite } from '../base/file-fault.js';
import { findRealPath, statFile } from '../base/files/disk.js';
import { unpackBundle } from '../bundles/unpack-bundle.js';
import { isKeyFile, isPrivateFile, removeSecretFiles } from './private-files.js';
import type { WrapSource } from './wrap-source.js';

interface CopyContext {
  readonly signal: AbortSignal;
  /** Values that no file may contain. */
  readonly secrets: readonly string[];
}

/** Copies the files of servers and skills. Returns notes. */
export async function copyFolders(
  directory: string,
  { servers, folders, isExcluded, skills }: WrapSource,
  { signal, secrets }: CopyContext,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const [to, from] of Object.entries(folders)) {
    const content = servers[0]?.content;
    const target = path.join(directory, to);
    if (content?.folder === from) await unpackBundle({ ...content, folder: target }, { signal });
    else notes.push(...(await copyFolder(from, target, isExcluded)));
    notes.push(...(await cleanFolder(target, secrets)));
    if (statFile(path.join(target, 'node_modules')))
      notes.push(
        `npm does not publish ${to}/node_modules. Add the packages in it to "dependencies" before you publish.`,
      );
  }
  for (const [name, from] of Object.entries(skills)) {
    const target = path.join(directory, 'skills', name);
    notes.push(...(await copyFolder(from, target, () => false)), ...(await cleanFolder(target, secrets)));
  }
  return notes;
}

/** Copies a folder without links, which npm does not publish. Returns notes. */
async function copyFolder(
  folder: string,
  to: string,
  isExcluded: WrapSource['isExcluded'],
): Promise<readonly string[]> {
  const from = findRealPath(folder) ?? folder;
  const links: string[] = [];
  const keys: string[] = [];
  const filter = async (file: string) => {
    if (file === from) return true;
    const relative = path.relative(from, file);
    if (isKeyFile(path.basename(file))) keys.push(relative);
    if (isPrivateFile(path.basename(file)) || isExcluded(relative)) return false;
    if (!(await lstat(file)).isSymbolicLink()) return true;
    links.push(relative);
    return false;
  };
  await guardWrite(to, () => cp(from, to, { recursive: true, filter, errorOnExist: true }));
  return [
    ...(links.length === 0 ? [] : [`Links are not copied: ${links.join(', ')}.`]),
    ...(keys.length === 0 ? [] : [`Keys are not copied: ${keys.join(', ')}.`]),
  ];
}

/** Removes copies of files with secrets. Returns notes. */
async function cleanFolder(folder: string, secrets: readonly string[]): Promise<readonly string[]> {
  const removed = await guardWrite(folder, async () => await removeSecretFiles(folder, secrets));
  return removed.length === 0 ? [] : [`Files with secrets are not copied: ${removed.join(', ')}.`];
}
