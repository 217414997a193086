import { visibleText } from '../../../engine/base/visible-text.js';
import type { UnusedFolder } from '../../../engine/installation/prune.js';

/** One line per folder, and the sum. */
export function pruneLines(
  folders: readonly UnusedFolder[],
  { dryRun }: { readonly dryRun: boolean },
): string {
  const lines = folders.map(({ kind, folder, bytes, isKept }) => {
    const kept = isKept ? ', stays for a week after the update: a server may run it' : '';
    return `${folder} (${kind}, ${megabytes(bytes)}${kept})`;
  });
  const removed = folders.filter(({ isKept }) => !isKept);
  const sum = megabytes(removed.reduce((total, { bytes }) => total + bytes, 0));
  const last =
    removed.length === 0
      ? 'Nothing to remove.'
      : `${dryRun ? 'Would free' : 'Freed'} ${sum} in ${removed.length} folder${removed.length === 1 ? '' : 's'}.`;
  return visibleText([...lines, last].map((line) => `${line}\n`).join(''));
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
