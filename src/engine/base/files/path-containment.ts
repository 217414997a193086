import path from 'node:path';
import { findRealPath } from './disk.js';

/** Where the paths that a package names may lead. */
export interface PathScope {
  /** Relative paths are relative to it, and stay in it. */
  readonly directory: string;
  /** Absolute paths will do as well: the folder is the user's own. */
  readonly allowsAbsolute?: boolean;
}

/** Why a path that a package names cannot be used. */
export type PathFault = 'absolute' | 'bare' | 'outside';

/**
 * Checks the spelling of a path in a manifest or definition: relative to the package folder and staying below it.
 * Whether symbolic links lead out is only known once it exists; see {@link isInside}.
 */
export function pathFault(
  text: string,
  { allowsAbsolute = false }: Pick<PathScope, 'allowsAbsolute'> = {},
): PathFault | undefined {
  if (allowsAbsolute && path.isAbsolute(text)) return undefined;
  if (path.posix.isAbsolute(text) || path.win32.isAbsolute(text)) return 'absolute';
  const normal = path.posix.normalize(text.replaceAll('\\', '/'));
  if (normal === '..' || normal.startsWith('../')) return 'outside';
  return undefined;
}

/** Whether a path without fault leads where it may, symbolic links followed. Absent ones do not. */
export async function isInScope({ directory }: PathScope, text: string): Promise<boolean> {
  return path.isAbsolute(text) || (await isInside(directory, path.join(directory, text)));
}

/** Whether an existing path really lies in a folder, symbolic links followed. Absent paths do not. */
export async function isInside(folder: string, target: string): Promise<boolean> {
  const realFolder = findRealPath(folder);
  const realTarget = findRealPath(target);
  if (realFolder === undefined || realTarget === undefined) return false;
  const between = path.relative(realFolder, realTarget);
  return between !== '..' && !between.startsWith(`..${path.sep}`) && !path.isAbsolute(between);
}
