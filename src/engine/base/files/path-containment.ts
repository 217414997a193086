import path from 'node:path';
import { findRealPath } from './disk.js';

/** Limits for the paths that a package names. */
export interface PathScope {
  /** Base of relative paths. They must stay below it. */
  readonly directory: string;
  /** True if absolute paths are allowed: the folder belongs to the user. */
  readonly allowsAbsolute?: boolean;
}

/** Reason why a path named by a package is rejected. */
export type PathFault = 'absolute' | 'bare' | 'outside';

/**
 * Checks the spelling of a path in a manifest or definition: relative to the package folder and staying below
 * it. Symbolic links are checked only once the path exists; see {@link isInside}.
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

/**
 * True if a path without fault is in its scope after following symbolic links. False if it does not exist.
 */
export async function isInScope({ directory }: PathScope, text: string): Promise<boolean> {
  return path.isAbsolute(text) || (await isInside(directory, path.join(directory, text)));
}

/** True if an existing path is in a folder after following symbolic links. False if it does not exist. */
export async function isInside(folder: string, target: string): Promise<boolean> {
  const realFolder = findRealPath(folder);
  const realTarget = findRealPath(target);
  if (realFolder === undefined || realTarget === undefined) return false;
  const between = path.relative(realFolder, realTarget);
  return between !== '..' && !between.startsWith(`..${path.sep}`) && !path.isAbsolute(between);
}
