import path from 'node:path';
import { listFolderNames } from '../base/files/disk.js';
import { pathFault } from '../base/files/path-containment.js';
import type { Kind } from './item-kinds.js';

/** A folder or combined file with definitions of a kind that is not read there. */
export interface MisplacedFolder {
  /** Relative to the package, with `/`. */
  readonly found: string;
  /** The path where it is read. */
  readonly expected: string;
}

/**
 * Finds definitions under the folder names of related systems, such as `Tools` and `MCPServers`, in the root, beside it or
 * in a root with other capitals. A folder with the right name beside the root counts if it has the item.
 */
export function findMisplacedFolder(
  { directory, root }: { readonly directory: string; readonly root: string },
  kind: Kind,
  item?: string,
): MisplacedFolder | undefined {
  if (pathFault(root)) return undefined;
  const base = path.posix.normalize(root.replaceAll('\\', '/')).replace(/\/$/, '');
  const inPackage = listFolderNames(directory) ?? [];
  const otherRoots = inPackage.filter((name) => name !== base && name.toLowerCase() === base.toLowerCase());
  for (const folder of [base, ...otherRoots, '.']) {
    for (const name of listFolderNames(path.join(directory, folder)) ?? []) {
      const { name: stem, ext } = path.posix.parse(name);
      const found = path.posix.join(folder, name);
      const expected = path.posix.join(base, `${kind}${ext}`);
      const isMeant = [kind, `mcp${kind}`].includes(stem.toLowerCase()) && found !== expected;
      if (isMeant && (stem !== kind || holds(path.join(directory, found), item))) return { found, expected };
    }
  }
  return undefined;
}

/** The sentence about a misplaced folder that follows a fault; empty without one. */
export function describeMisplaced(folder: MisplacedFolder | undefined): string {
  return folder ? ` ${folder.found} is not read. Rename it to ${folder.expected}.` : '';
}

function holds(folder: string, item: string | undefined): boolean {
  return (listFolderNames(folder) ?? []).some((name) => path.parse(name).name === item);
}
