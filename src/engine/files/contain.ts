import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** Why a path that a package names cannot be used. */
export type PathFault = 'absolute' | 'bare' | 'outside';

/**
 * Checks the spelling of a path in a manifest or definition: relative to the package folder and staying below it.
 * Whether symbolic links lead out is only known once it exists; see {@link isInside}.
 */
export function pathFault(text: string): PathFault | undefined {
  if (path.posix.isAbsolute(text) || path.win32.isAbsolute(text)) return 'absolute';
  const normal = path.posix.normalize(text.replaceAll('\\', '/'));
  if (normal === '..' || normal.startsWith('../')) return 'outside';
  return undefined;
}

/** Whether an existing path really lies in a folder, symbolic links followed. Absent paths do not. */
export async function isInside(folder: string, target: string): Promise<boolean> {
  const [realFolder, realTarget] = await Promise.all([
    realpath(folder).catch(() => undefined),
    realpath(target).catch(() => undefined),
  ]);
  if (realFolder === undefined || realTarget === undefined) return false;
  const between = path.relative(realFolder, realTarget);
  return between !== '..' && !between.startsWith(`..${path.sep}`) && !path.isAbsolute(between);
}
