import type { HarmedTools } from '../../../engine/adaptation/harmed-tools.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import type { Client } from '../../../engine/clients/client.js';
import type {
  InstallReport,
  InstallResult,
  ManualReport,
} from '../../../engine/installation/install-result.js';
import type { ClientSelection } from '../../../engine/installation/installation-folders.js';
import { failureData } from '../../shared/failure.js';
import { type DescribedFileChange, leftOutOfDiffs, renderDiff, renderDiffs } from '../../shared/text/diff.js';
import { failureCount, failureLine, failuresLast } from '../../shared/text/failures.js';
import { findingLines, findingsData } from '../../shared/text/findings.js';

/** Names the skipped clients; empty without any. With `--all`, their number. */
export function skippedLine(
  { skipped }: Pick<ClientSelection, 'skipped'>,
  { isNamed }: { readonly isNamed: boolean },
): string {
  if (skipped.length === 0) return '';
  if (isNamed) {
    const names = skipped.map(({ name }) => name).join(', ');
    return visibleText(
      `Skipped, because not found on this machine: ${names}. To write the file of one anyway, name it alone.\n`,
    );
  }
  return `Skipped ${skipped.length} clients that were not found on this machine. See them with: agenttools list-clients\n`;
}

interface InstallRenderOptions {
  readonly dryRun: boolean;
}

/** True for a failure that an earlier client has, too, such as a server that does not start. */
function isRepeated(result: InstallResult, earlier: readonly InstallResult[]): boolean {
  return (
    'error' in result && earlier.some((one) => 'error' in one && one.error.message === result.error.message)
  );
}

interface ResultRenderOptions extends InstallRenderOptions {
  readonly verified: boolean;
  /** Client that was not found on this machine. */
  readonly absent: Client | undefined;
}

/** Report on stderr, one or two lines per client. */
export function installLines(results: readonly InstallResult[], options: ResultRenderOptions): string {
  const leftOut = options.dryRun ? leftOutOfDiffs(installFileChanges(results)) : [];
  const lines = failuresLast(results)
    .filter((result, index, all) => !isRepeated(result, all.slice(0, index)))
    .map((result) => renderInstallResult(result, options, results));
  const count = failureCount(results, 'clients');
  return visibleText([...leftOut, ...lines, ...count].map((line) => `${line}\n`).join(''));
}

function renderInstallResult(
  result: InstallResult,
  { dryRun, verified, absent }: ResultRenderOptions,
  all: readonly InstallResult[],
): string {
  const { name, reload } = result.client;
  if ('error' in result) {
    const alike = all.filter((one) => isRepeated(one, [result]));
    return failureLine(result.error, { client: alike.map(({ client }) => client.name).join(', ') });
  }
  if (isManual(result)) return `${name}: ${result.client.manual.instructions}`;
  const isAbsent = result.client === absent && result.outcome !== 'unchanged';
  const found = isAbsent
    ? [`${name} was not found on this machine. It reads the entry when it is installed.`]
    : [];
  const notes = [...found, ...findingLines(result.findings), ...result.notes].map((note) => `  ${note}`);
  const start =
    verified || result.outcome === 'unchanged'
      ? []
      : ['  It was not started, so whether it answers is not known.'];
  const next = dryRun || result.outcome === 'unchanged' ? [] : [`  Next: ${reload}`];
  return [renderInstallReport(result, dryRun), ...notes, ...start, ...next].join('\n');
}

/** Outcomes that an install plan can have. */
type PlannedOutcome = Exclude<InstallReport['outcome'], 'removed' | 'restored' | 'shared' | 'gone'>;

const verbs: Readonly<Record<PlannedOutcome, readonly [done: string, planned: string]>> = {
  added: ['Installed', 'Would install'],
  updated: ['Updated', 'Would update'],
  replaced: ['Installed', 'Would install'],
  exchanged: ['Installed', 'Would install'],
  adopted: [
    'Already present, now managed by AgentTools:',
    'Already present, would be managed by AgentTools:',
  ],
  unchanged: ['Nothing to change:', 'Nothing to change:'],
};

const replacedNotes = [
  'The entry that was there is kept, and uninstall puts it back.',
  'The entry that is there would be kept, and uninstall would put it back.',
] as const;

function renderInstallReport(
  { outcome, server, former, client, key, file }: InstallReport,
  dryRun: boolean,
): string {
  const mood = dryRun ? 1 : 0;
  const sentence = `${verbs[outcome as PlannedOutcome][mood]} ${server} in ${client.name} as "${key}" (${file}).`;
  if (former !== undefined) {
    const verb = dryRun ? 'would take' : 'took';
    return `${sentence}\n  ${server} ${verb} the place of ${former}.`;
  }
  return outcome === 'replaced' ? `${sentence}\n  ${replacedNotes[mood]}` : sentence;
}

/** Diffs of the planned changes, one per file. */
export function installDiff(results: readonly InstallResult[]): string {
  return renderDiffs(installFileChanges(results));
}

function installFileChanges(results: readonly InstallResult[]): readonly DescribedFileChange[] {
  return results.flatMap((result) =>
    'before' in result ? [{ ...result, what: `"${result.key}" in ${result.client.name}` }] : [],
  );
}

/** Snippet to paste into clients without a config file. */
export function manualSnippet(results: readonly InstallResult[]): string {
  return results.map((result) => (isManual(result) ? (result.snippet ?? '') : '')).join('');
}

function isManual(result: InstallResult): result is ManualReport {
  return result.client.manual !== undefined && !('error' in result);
}

/** JSON output of `install`. */
export function installData(
  results: readonly InstallResult[],
  { isList, dryRun }: InstallRenderOptions & { readonly isList: boolean },
): unknown {
  const data = results.map((result) => resultData(result, dryRun));
  return isList ? data : data[0];
}

function resultData(result: InstallResult, dryRun: boolean): object {
  const { id } = result.client;
  if ('error' in result) return { client: id, error: failureData(result.error) };
  if (isManual(result)) {
    const { key, server, snippet = null } = result;
    return {
      client: id,
      manual: true,
      key,
      server,
      snippet,
      instructions: result.client.manual.instructions,
    };
  }
  const { scope, file, key, server, before, after, findings, harmed } = result;
  const changed = before !== after;
  return {
    client: id,
    scope,
    file,
    key,
    server,
    changed,
    ...findingsData(findings),
    ...(harmed.length > 0 && { harmed: harmed.map(harmData) }),
    ...(dryRun && { diff: renderDiff(result) }),
  };
}

function harmData({ limit: { code, subject, effect, does }, tools }: HarmedTools): object {
  return { code, subject, effect, does, tools };
}
