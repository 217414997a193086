import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Most files and folders of a stamped package. The stamp of a larger package would cost more than it saves. */
const maxEntries = 2000;

/** Files that package managers write when they change installed packages, and `node_modules` itself for links. */
const installationMarks = [
  'package.json',
  'node_modules',
  'node_modules/.package-lock.json',
  'node_modules/.modules.yaml',
  'node_modules/.yarn-state.yml',
  '.pnp.cjs',
];

/**
 * Returns a text that changes with the files of a package and with the packages installed in its parent folders.
 * Dependencies count only by the files that package managers write. Undefined if the package has too many files or is
 * unreadable. `directory` is absolute.
 */
export function stampPackage(directory: string): string | undefined {
  const lines: string[] = [];
  try {
    if (!stampFolder(directory, lines)) return undefined;
    for (const folder of foldersFrom(directory)) {
      for (const mark of installationMarks) lines.push(stampEntry(path.join(folder, mark)));
    }
  } catch {
    return undefined;
  }
  return lines.join('\n');
}

/** Returns false if there are too many files. Follows links, so a loop of links counts as too many files. */
function stampFolder(folder: string, lines: string[]): boolean {
  for (const { name } of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
    if (name === 'node_modules') continue;
    if (lines.length === maxEntries) return false;
    const entry = path.join(folder, name);
    const stats = statSync(entry, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) {
      lines.push(stampEntry(entry, stats));
    } else if (!name.startsWith('.')) {
      lines.push(entry);
      if (!stampFolder(entry, lines)) return false;
    }
  }
  return true;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Includes the change time, since some package managers give all files the same modification time. */
function stampEntry(entry: string, stats = statSync(entry, { throwIfNoEntry: false })): string {
  if (!stats) return `${entry} -`;
  const { size, mtimeMs, ctimeMs } = stats;
  return stats.isDirectory() ? `${entry} ${mtimeMs}` : `${entry} ${size} ${mtimeMs} ${ctimeMs}`;
}

function foldersFrom(directory: string): readonly string[] {
  const above = path.dirname(directory);
  return above === directory ? [directory] : [directory, ...foldersFrom(above)];
}
