import path from 'node:path';
import { glob } from 'glob';
import type { WorkspaceRoot } from './workspaces.js';

/** Returns the folders with a package.json that match, sorted. Skips `node_modules`. */
export async function matchPackages({ directory, patterns }: WorkspaceRoot): Promise<readonly string[]> {
  const trimmed = patterns.map((pattern) => pattern.replace(/^(!?)(?:\.?\/)*/, '$1').replace(/\/+$/, ''));
  const wanted = trimmed.filter((pattern) => !pattern.startsWith('!'));
  const excluded = trimmed.flatMap((pattern) =>
    pattern.startsWith('!') ? [pattern.slice(1), `${pattern.slice(1)}/**`] : [],
  );
  const found = await glob(
    wanted.map((pattern) => `${pattern}/package.json`),
    {
      cwd: directory,
      ignore: ['**/node_modules/**', ...excluded, ...excluded.map((pattern) => `${pattern}/package.json`)],
      windowsPathsNoEscape: path.sep === '\\',
    },
  );
  return found.map((file) => path.resolve(directory, path.dirname(file))).sort();
}
