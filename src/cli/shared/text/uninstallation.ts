import { visibleText } from '../../../engine/base/visible-text.js';
import type { Receipt } from '../../../engine/clients/receipt.js';
import type { UninstallOutcome, UninstallResult } from '../../../engine/installation/uninstall.js';
import { failureData } from '../failure.js';
import { type DescribedFileChange, leftOutOfDiffs, renderDiff, renderDiffs } from './diff.js';
import { failureCount, failureLine, failuresLast } from './failures.js';
import { uninstallCommand } from './uninstall-command.js';

/** Receipts to suggest if the requested entry was not found. */
export interface OtherInstallation {
  /** Receipts in the requested place; those with a similar name first. */
  readonly here: readonly Receipt[];
  readonly elsewhere: readonly Receipt[];
}

interface DryRunOption {
  readonly dryRun: boolean;
}

interface UninstallRenderOptions extends DryRunOption {
  /** Display name of a client, by id. */
  readonly nameOf: (client: string) => string;
}

/** Report of `uninstall`, one line per entry. */
export function uninstallLines(
  {
    results,
    notes,
    instead,
  }: Pick<UninstallOutcome, 'results' | 'notes'> & { readonly instead: OtherInstallation },
  options: UninstallRenderOptions,
): string {
  const warnings = notes.map((note) => `warning: ${note}`);
  const leftOut = options.dryRun ? leftOutOfDiffs(uninstallFileChanges(results, options)) : [];
  const lines = failuresLast(results).map((result) => renderUninstallResult(result, options));
  const count = failureCount(results, 'entries');
  const none = results.length === 0 ? nothingFound(instead) : leftElsewhere(instead);
  return visibleText(
    [...warnings, ...leftOut, ...lines, ...count, ...none].map((line) => `${line}\n`).join(''),
  );
}

function leftElsewhere({ elsewhere }: OtherInstallation): readonly string[] {
  if (elsewhere.length === 0) return [];
  return ['Entries elsewhere stay. They go with:', ...elsewhere.map((one) => `  ${uninstallCommand(one)}`)];
}

function nothingFound({ here, elsewhere }: OtherInstallation): readonly string[] {
  if (here.length > 0) {
    const entries = here.map(({ key, server }) => `"${key}" (${server})`).join(', ');
    return [`Nothing to remove: AgentTools wrote no such entry. What it wrote there: ${entries}.`];
  }
  if (elsewhere.length === 0) return ['Nothing to remove: AgentTools wrote no such entry.'];
  const commands = elsewhere.map((receipt) => `  ${uninstallCommand(receipt)}`);
  return [
    'Nothing to remove: AgentTools wrote nothing there. What it wrote elsewhere goes with:',
    ...commands,
  ];
}

function renderUninstallResult(result: UninstallResult, { dryRun, nameOf }: UninstallRenderOptions): string {
  const { key, file } = result.receipt;
  const client = nameOf(result.receipt.client);
  if ('error' in result) return failureLine(result.error, { client, entry: { key, file } });
  if (result.outcome === 'gone') return `Gone already: "${key}" in ${client} (${file}).`;
  if (result.outcome === 'shared')
    return `Kept "${key}" in ${client} (${file}): another client uses the same entry.`;
  const what = result.after === null ? ', and the file, which held nothing else' : '';
  const sentence = `${dryRun ? 'Would remove' : 'Removed'} "${key}" from ${client} (${file})${what}.`;
  return result.outcome === 'restored' ? `${sentence} ${restoredNotes[dryRun ? 1 : 0]}` : sentence;
}

const restoredNotes = [
  'The entry that was there before is back.',
  'The entry that was there before would be back.',
] as const;

/** Diffs of the planned changes, one per file. */
export function uninstallDiff(
  results: readonly UninstallResult[],
  options: Pick<UninstallRenderOptions, 'nameOf'>,
): string {
  return renderDiffs(uninstallFileChanges(results, options));
}

function uninstallFileChanges(
  results: readonly UninstallResult[],
  { nameOf }: Pick<UninstallRenderOptions, 'nameOf'>,
): readonly DescribedFileChange[] {
  return results.flatMap((result) => {
    if ('error' in result) return [];
    const { file, key, client } = result.receipt;
    return [{ ...result, file, what: `"${key}" in ${nameOf(client)}` }];
  });
}

/** JSON output of `uninstall`. */
export function uninstallData(
  results: readonly UninstallResult[],
  { dryRun }: DryRunOption,
): readonly object[] {
  return results.map((result) => {
    const { client, scope, file, key, server } = result.receipt;
    if ('error' in result) return { client, scope, file, key, server, error: failureData(result.error) };
    const { before, after } = result;
    const diff = dryRun && { diff: renderDiff({ file, before, after }) };
    return { client, scope, file, key, server, changed: before !== after, ...diff };
  });
}
