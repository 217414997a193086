import { existsSync } from 'node:fs';
import path from 'node:path';
import { AgentToolsError } from '../../engine/base/errors.js';
import { plainPackage } from '../../engine/extension/plain-package.js';
import { findWorkspaceRoot, type WorkspaceRoot } from '../../engine/npm/workspaces.js';

/** Packages that patterns and workspaces list. */
export interface PackageFolders {
  /** Folders of extensions. Absolute, each once. */
  readonly extensions: readonly string[];
  /** Names of the other packages. */
  readonly skipped: readonly string[];
}

/** True for a glob pattern that is not a folder by itself. Addresses may have a `?`. */
export function isPattern(word: string, cwd: string): boolean {
  if (!/[*?[\]{}]/.test(word) || /^[a-z]{2,}:/i.test(word)) return false;
  return !existsSync(path.resolve(cwd, word));
}

/**
 * Finds the extensions among the packages that match patterns, and among the workspaces.
 * @throws AgentToolsError `usage` if a pattern or the workspaces match no package
 */
export async function findPackageFolders(
  { patterns, workspaces }: { readonly patterns: readonly string[]; readonly workspaces: boolean },
  cwd: string,
): Promise<PackageFolders> {
  const listed = [
    ...(await Promise.all(patterns.map((pattern) => findMatches(pattern, cwd)))).flat(),
    ...(workspaces ? await findWorkspaces(cwd) : []),
  ];
  const named = await Promise.all(
    [...new Set(listed)].map(async (directory) => ({ directory, plain: await plainPackage(directory) })),
  );
  return {
    extensions: named.filter(({ plain }) => plain === undefined).map(({ directory }) => directory),
    skipped: named.flatMap(({ plain }) => plain ?? []),
  };
}

/** @throws AgentToolsError `not-found` if packages are listed, and none is an extension */
export function requireExtensions({ extensions, skipped }: PackageFolders): void {
  if (skipped.length === 0 || extensions.length > 0) return;
  throw new AgentToolsError(
    'not-found',
    `None of the ${skipped.length} packages is an extension: no package.json has an "agenttools" field.`,
  );
}

/** Loaded at first need, since a glob library takes as long to load as a small package to check. */
async function matchPackages(root: WorkspaceRoot): Promise<readonly string[]> {
  const { matchPackages: match } = await import('../../engine/npm/match-packages.js');
  return await match(root);
}

async function findMatches(pattern: string, cwd: string): Promise<readonly string[]> {
  const found = await matchPackages({ directory: cwd, patterns: [pattern] });
  if (found.length > 0) return found;
  throw new AgentToolsError('usage', `No folder with a package.json matches ${pattern} in ${cwd}.`);
}

/** The workspaces at a folder or above, and the root if it is an extension. */
async function findWorkspaces(cwd: string): Promise<readonly string[]> {
  const root = await findWorkspaceRoot(cwd);
  const found = await matchPackages(root);
  const ofRoot = (await plainPackage(root.directory)) === undefined ? [root.directory] : [];
  if (found.length + ofRoot.length > 0) return [...ofRoot, ...found];
  throw new AgentToolsError(
    'usage',
    `The workspaces of ${root.directory} contain no package: ${root.patterns.join(', ')} match none.`,
  );
}
