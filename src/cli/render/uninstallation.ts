import type { UninstallResult } from '../../engine/installation/uninstall.js';
import { visibleText } from '../../engine/visible-text.js';
import { type FileChange, leftOutOfDiffs, renderDiff, renderDiffs } from './diff.js';

interface Circumstances {
  readonly dryRun: boolean;
}

/** What was taken out, a line for each entry. */
export function uninstallLines(
  { results, notes }: { readonly results: readonly UninstallResult[]; readonly notes: readonly string[] },
  options: Circumstances,
): string {
  const lines = results.map((result) => lineOf(result, options));
  const warnings = notes.map((note) => `warning: ${note}`);
  const none = results.length === 0 ? ['Nothing to remove: AgentTools wrote no such entry.'] : [];
  const leftOut = options.dryRun ? leftOutOfDiffs(changesIn(results)) : [];
  return visibleText(`${[...warnings, ...lines, ...leftOut, ...none].join('\n')}\n`);
}

function lineOf(result: UninstallResult, { dryRun }: Circumstances): string {
  const { client, key, file } = result.receipt;
  const place = `"${key}" of ${client} (${file})`;
  if ('error' in result) return `error: ${place}: ${result.error.message}`;
  if (result.outcome === 'gone') return `Gone already: ${place}.`;
  if (result.outcome === 'shared') return `Kept ${place}: another client uses the same entry.`;
  const what = result.after === null ? ', and the file, which held nothing else' : '';
  return `${dryRun ? 'Would remove' : 'Removed'} ${place}${what}.`;
}

/** The diffs of what would change, one for each file. */
export function uninstallDiff(results: readonly UninstallResult[]): string {
  return renderDiffs(changesIn(results));
}

function changesIn(results: readonly UninstallResult[]): readonly FileChange[] {
  return results.flatMap((result) => {
    if ('error' in result) return [];
    const { file, key, client } = result.receipt;
    return [{ ...result, file, what: `"${key}" of ${client}` }];
  });
}

/** What was done, for other programs. */
export function uninstallData(
  results: readonly UninstallResult[],
  { dryRun }: Circumstances,
): readonly object[] {
  return results.map((result) => {
    const { client, scope, file, key, server } = result.receipt;
    if ('error' in result) return { client, scope, file, key, server, error: result.error.message };
    const { before, after } = result;
    const diff = dryRun && { diff: renderDiff({ file, before, after }) };
    return { client, scope, file, key, server, changed: before !== after, ...diff };
  });
}
