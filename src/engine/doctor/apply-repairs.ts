import { AgentToolsError } from '../base/errors.js';
import { changeConfig } from '../clients/config-change.js';
import { ConfigError } from '../clients/edit/editor.js';
import type { Plan } from '../clients/ledger/config-plan.js';
import { toUserError } from '../installation/config-fault.js';
import type { Found, Repair, RepairDeps } from './finding.js';
import type { ConfigPicture } from './picture.js';

/** A repair that was done, or would be. */
export interface RepairReport {
  readonly code: Found['code'];
  /** In the imperative, without a full stop. */
  readonly does: string;
  /** Config file that it concerns. */
  readonly file?: string;
  /** Reason why it was not done. */
  readonly error?: AgentToolsError;
}

/** A config file before and after its repairs. */
export interface RepairedFile {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface RepairOutcome {
  readonly repairs: readonly RepairReport[];
  readonly files: readonly RepairedFile[];
}

type Repairable = Found & { readonly repair: Repair };

/** Repairs findings. Each config file is written once, with all its repairs. One failure does not stop the others. */
export async function applyRepairs(found: readonly Found[], deps: RepairDeps): Promise<RepairOutcome> {
  const reports: RepairReport[] = [];
  const prepared: Repairable[] = [];
  for (const one of found.filter(isRepairable)) {
    const error = await attempt(async () => await one.repair.prepare?.(deps));
    if (error || !one.repair.edit) reports.push(report(one, error));
    else prepared.push(one);
  }
  const files: RepairedFile[] = [];
  const configs = new Map(prepared.map((one) => [one.repair.edit!.config.realFile, one.repair.edit!.config]));
  for (const [realFile, config] of configs) {
    const ofFile = prepared.filter((one) => one.repair.edit!.config.realFile === realFile);
    const { file, reports: done } = await repairFile(config, ofFile, deps);
    if (file) files.push(file);
    reports.push(...done);
  }
  return { repairs: reports, files };
}

function isRepairable(found: Found): found is Repairable {
  return found.repair !== undefined;
}

function report({ code, repair, config, entry, file }: Repairable, error?: AgentToolsError): RepairReport {
  const place = file ?? (config ?? entry?.config)?.file;
  return { code, does: repair.does, ...(place !== undefined && { file: place }), ...(error && { error }) };
}

/** Changes of syntax come first: without them, no entry can be edited. */
function bySyntax(one: Repairable, other: Repairable): number {
  return Number(other.entry === undefined) - Number(one.entry === undefined);
}

async function repairFile(
  { file }: ConfigPicture,
  found: readonly Repairable[],
  deps: RepairDeps,
): Promise<{ readonly file?: RepairedFile; readonly reports: readonly RepairReport[] }> {
  const { receipts, dryRun } = deps;
  const ordered = [...found].sort(bySyntax);
  let reports: readonly RepairReport[] = [];
  const plan = async (state: Parameters<NonNullable<Repair['edit']>['plan']>[0]): Promise<Plan> => {
    // Another attempt begins again, since another program has written to the file.
    const done: RepairReport[] = [];
    let current: Plan = { ...state, outcome: 'unchanged' };
    for (const one of ordered) {
      const error = await attempt(async () => {
        current = await one.repair.edit!.plan(current);
      }, file);
      done.push(report(one, error));
    }
    reports = done;
    return current;
  };
  try {
    const { before, after } = await changeConfig(file, plan, { receipts, dryRun });
    const isDone = (index: number) => !dryRun && !reports[index]?.error;
    for (const [index, one] of ordered.entries()) if (isDone(index)) await one.repair.finish?.(deps);
    return { ...(before !== after && { file: { file, before, after } }), reports };
  } catch (thrown) {
    const error = await userError(thrown, file);
    return { reports: ordered.map((one) => report(one, error)) };
  }
}

/** Returns the failure that the user can act on. */
async function attempt(work: () => Promise<void>, file?: string): Promise<AgentToolsError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return await userError(error, file);
  }
}

/** @throws the error unless the user can act on it */
async function userError(error: unknown, file: string | undefined): Promise<AgentToolsError> {
  const told =
    file === undefined && error instanceof ConfigError
      ? new AgentToolsError('refused', error.message, { cause: error })
      : await toUserError(error, file ?? '');
  if (told instanceof AgentToolsError) return told;
  throw error;
}
