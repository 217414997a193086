import { existsSync } from 'node:fs';
import { AgentToolsError } from '../base/errors.js';
import { type CommandChanges, changesFiles, listCommands } from '../clients/command-history.js';
import { type ConfigChangeOptions, changeConfig } from '../clients/config-change.js';
import type { RecordedChange } from '../clients/file-change.js';
import type { ConfigState } from '../clients/ledger/config-plan.js';
import { planUndo, type UndoPlan } from '../clients/ledger/undo-change.js';
import type { Receipts } from '../clients/receipts.js';
import { toUserError } from './config-fault.js';
import { missingProgram } from './missing-program.js';

export interface UndoRequest {
  /** Number of commands to take back, the last one first. */
  readonly count: number;
  /** True: takes back undos instead. */
  readonly redo: boolean;
  /** True: also takes back changes of entries that were edited since. */
  readonly force: boolean;
  readonly dryRun: boolean;
}

/** A change that was taken back, or that a dry run would take back. */
export interface UndoReport {
  readonly of: CommandChanges;
  readonly change: RecordedChange;
  readonly outcome: UndoPlan['outcome'];
  /** True if the file has exactly the bytes that it had before the change. */
  readonly isExact: boolean;
  readonly before: string | null;
  readonly after: string | null;
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
}

interface UndoFailure {
  readonly of: CommandChanges;
  readonly change: RecordedChange;
  readonly error: AgentToolsError;
}

export type UndoResult = UndoReport | UndoFailure;

export interface UndoOutcome {
  readonly results: readonly UndoResult[];
  /** Number of commands that remain because an earlier one failed. */
  readonly left: number;
  /** Notes on unreadable records, in sentences. */
  readonly notes: readonly string[];
}

/**
 * Takes back the changes of the last commands, the last change first. After a failure, the changes of earlier commands stay.
 * Neither packages nor clients need be installed any more.
 */
export async function undo(request: UndoRequest, receipts: Receipts): Promise<UndoOutcome> {
  const { commands, notes } = await listCommands(receipts);
  const chosen = chooseCommands(commands, request);
  const options = { receipts, dryRun: request.dryRun, drafts: new Map() };
  const results: UndoResult[] = [];
  for (const [index, of] of chosen.entries()) {
    for (const change of of.open.toReversed()) {
      const result = await takeBack(change, request, options).catch((error: unknown) => {
        if (error instanceof AgentToolsError) return { error };
        throw error;
      });
      if ('error' in result || changesFiles(of)) results.push({ of, change, ...result });
    }
    if (results.some((result) => 'error' in result))
      return { results, left: chosen.length - index - 1, notes };
  }
  return { results, left: 0, notes };
}

/** The commands to take back, the last one first. */
function chooseCommands(
  commands: readonly CommandChanges[],
  { count, redo }: UndoRequest,
): readonly CommandChanges[] {
  if (!redo) {
    const open = commands.filter((one) => one.undoes === undefined && one.open.length > 0).toReversed();
    // Commands that only renewed records do not count: users see no change to take back.
    const last = open.filter(changesFiles).slice(0, count).at(-1);
    return last ? open.slice(0, open.indexOf(last) + 1) : [];
  }
  // A change after an undo settles it.
  const last = commands.findLastIndex((one) => one.undoes === undefined);
  const undos = commands
    .slice(last + 1)
    .filter(({ undoes, open }) => open.length > 0 && !isRedo(undoes, commands));
  return undos.toReversed().slice(0, count);
}

/** True if a command that takes back another one takes back an undo. */
function isRedo(target: number | undefined, commands: readonly CommandChanges[]): boolean {
  return commands.some(({ number, undoes }) => number === target && undoes !== undefined);
}

async function takeBack(
  change: RecordedChange,
  { force }: UndoRequest,
  options: ConfigChangeOptions,
): Promise<Omit<UndoReport, 'of' | 'change'>> {
  requireProject(change);
  let isExact = false;
  const plan = async (state: ConfigState) => {
    const planned = await planUndo(state, change, { force });
    isExact = planned.isExact;
    return planned;
  };
  const { outcome, before, after } = await changeConfig(change.realFile, plan, {
    ...options,
    undoes: change.name,
  }).catch(async (error: unknown) => {
    throw await toUserError(error, change.realFile);
  });
  return { outcome, isExact, before, after, notes: missingPrograms(change, outcome) };
}

/** Folders of projects are not created again. @throws AgentToolsError */
function requireProject({ receipts: { removed }, file }: RecordedChange): void {
  const project = removed.map((receipt) => receipt.project).find((one) => one && !existsSync(one));
  if (project === undefined) return;
  const message = `The project folder ${project} does not exist any more, so the entry cannot be put back into ${file}.`;
  throw new AgentToolsError('refused', message);
}

/** `uninstall` also removes packages that no entry uses. */
function missingPrograms(
  { receipts: { removed } }: RecordedChange,
  outcome: UndoPlan['outcome'],
): readonly string[] {
  if (outcome === 'removed' || outcome === 'gone') return [];
  return removed.flatMap((receipt) => {
    const missing = missingProgram(receipt);
    if (missing === undefined) return [];
    const { key, client, reference, scope, project } = receipt;
    const place = scope === 'project' ? ` --project=${project}` : '';
    return [
      `"${key}" starts ${missing}, which no longer exists. Install it again: agenttools install ${client} ${reference} --name ${key}${place}`,
    ];
  });
}
