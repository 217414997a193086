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
  const all = bundlesFolder(dataFolder);
  const names = await readdir(all).catch((): string[] => []);
  const unused = names.filter((name) => {
    const folder = path.join(all, name);
    if (among && !among.includes(folder)) return false;
    return /-[0-9a-f]{32}$/.test(name) && !used.some((text) => text.includes(folder));
  });
  for (const name of unused) await rm(path.join(all, name), { recursive: true, force: true, maxRetries: 3 });
}
