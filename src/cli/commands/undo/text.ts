import { visibleText } from '../../../engine/base/visible-text.js';
import type { Plan } from '../../../engine/clients/ledger/config-plan.js';
import type { UndoOutcome, UndoReport, UndoRequest, UndoResult } from '../../../engine/installation/undo.js';
import { renderDiff } from '../../shared/text/diff.js';
import { failureLine } from '../../shared/text/failures.js';
import { changedEntries, commandTime, entryNames } from '../../shared/text/history.js';

type Mood = Pick<UndoRequest, 'dryRun' | 'redo'>;

/** Report of `undo`, one line for each change. */
export function undoLines({ results, left, notes }: UndoOutcome, request: Mood): string {
  const warnings = notes.map((note) => `warning: ${note}`);
  const lines = results.flatMap((result) => [
    resultLine(result, request),
    ...('notes' in result ? result.notes.map((note) => `  ${note}`) : []),
  ]);
  const none = results.length === 0 ? [noneLines[request.redo ? 1 : 0]] : [];
  const rest = left === 0 ? [] : [`${left} earlier ${left === 1 ? 'command' : 'commands'} not taken back.`];
  return visibleText([...warnings, ...lines, ...rest, ...none].map((line) => `${line}\n`).join(''));
}

const noneLines = [
  'Nothing to undo. See the changes with: agenttools history',
  'Nothing to redo: no undo can be taken back. See the changes with: agenttools history',
] as const;

/** State of the entry after the change was taken back, with the name of the client. */
const states: Partial<Record<Plan['outcome'], string>> = {
  removed: 'is out of',
  added: 'is back in',
  gone: 'is gone already from',
};

const plannedStates: typeof states = {
  removed: 'would be out of',
  added: 'would be back in',
  gone: 'is gone already from',
};

function resultLine(result: UndoResult, { dryRun }: Mood): string {
  const { of, change } = result;
  const { keys, client } = entryNames(change);
  const { file } = change;
  if ('error' in result) return failureLine(result.error, { client, entry: { file, key: keys } });
  const what = `${of.command} of ${commandTime(of)}`;
  const state =
    (dryRun ? plannedStates : states)[result.outcome] ?? `${dryRun ? 'would be' : 'is'} as before in`;
  return `${dryRun ? 'Would take' : 'Took'} back ${what}: ${keys} ${state} ${client} (${file}).${othersNote(result)}`;
}

function othersNote({ isExact, outcome, after, change }: UndoReport): string {
  if (isExact) return after === null && change.beforeHash === null ? ' The file did not exist before.' : '';
  return outcome === 'gone' ? '' : ' Later changes of other programs stay.';
}

/** One diff for each file. */
export function undoDiff(results: readonly UndoResult[]): string {
  const files = new Map<string, { file: string; before: string | null; after: string | null }>();
  for (const result of results) {
    if ('error' in result) continue;
    const { file, realFile } = result.change;
    const { before } = files.get(realFile) ?? result;
    files.set(realFile, { file, before, after: result.after });
  }
  return [...files.values()].map(renderDiff).join('');
}

/** JSON output of `undo`. */
export function undoData(results: readonly UndoResult[], { dryRun }: Mood): unknown {
  return results.flatMap((result) => {
    const { of, change } = result;
    return changedEntries(change).map((entry) => ({
      change: of.number,
      command: of.command,
      ...entry,
      file: change.file,
      ...('error' in result
        ? { error: result.error.message }
        : {
            changed: result.before !== result.after,
            exact: result.isExact,
            ...(dryRun && { diff: renderDiff({ ...result, file: change.file }) }),
          }),
    }));
  });
}
