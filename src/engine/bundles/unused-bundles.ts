import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Folder of all unpacked bundles. */
export function bundlesFolder(dataFolder: string): string {
  return path.join(dataFolder, 'bundles');
}

/** Removes the unpacked bundles that no text of `used` mentions. `among`: only these folders; absent: all. */
export async function removeUnusedBundles(
  dataFolder: string,
  used: readonly string[],
  among?: readonly string[],
): Promise<void> {
  for (const folder of await findUnusedBundles(dataFolder, used)) {
    if (among && !among.includes(folder)) continue;
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Folders of unpacked bundles that no text of `used` mentions. */
export async function findUnusedBundles(
  dataFolder: string,
  used: readonly string[],
): Promise<readonly string[]> {
  const all = bundlesFolder(dataFolder);
  const names = await readdir(all).catch((): string[] => []);
  return names
    .filter((name) => /-[0-9a-f]{32}$/.test(name))
    .map((name) => path.join(all, name))
    .filter((folder) => !used.some((text) => text.includes(folder)));
}
