import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { changeConfig, settledRecords } from '../clients/change.js';
import type { Client, Surroundings } from '../clients/client.js';
import { type Plan, placeOf, planRemoval, planUninstall } from '../clients/ledger.js';
import type { Receipt, Receipts } from '../clients/receipts.js';
import { AgentToolsError } from '../errors.js';
import { isPathArgument } from '../extension/workspace.js';
import { asUserError } from './config-fault.js';
import { placementIn, type Scope } from './place.js';

export interface UninstallRequest {
  /** Undefined: every client. */
  readonly client: Client | undefined;
  readonly scope: Scope;
  /** What install was given, the qualified name, or the key; undefined: everything of ours there. */
  readonly reference: string | undefined;
  /** Key of the entry. */
  readonly name: string | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
}

export interface UninstallSetting {
  readonly cwd: string;
  readonly home: string;
  readonly surroundings: Surroundings;
  readonly receipts: Receipts;
}

/** What was taken out, or would be. */
export interface UninstallReport {
  readonly receipt: Receipt;
  readonly outcome: Plan['outcome'];
  readonly before: string | null;
  readonly after: string | null;
}

export interface UninstallFailure {
  readonly receipt: Receipt;
  readonly error: Error;
}

export type UninstallResult = UninstallReport | UninstallFailure;

/**
 * Takes entries out by what we remember of them, so that neither the package nor the client need be there any more.
 * @throws AgentToolsError if it is not clear what is meant, or what is meant is not ours.
 */
export async function uninstall(
  request: UninstallRequest,
  setting: UninstallSetting,
): Promise<{ readonly results: readonly UninstallResult[]; readonly notes: readonly string[] }> {
  const { records, notes } = await settledRecords(setting.receipts);
  const known = records.flatMap(({ receipts }) => receipts);
  const inPlace = await receiptsIn(request, known, setting);
  const meant = await matching(request, inPlace, setting);
  requireClear(request, meant);
  if (meant.length === 0) {
    const foreign = await removeForeign(request, setting);
    return { results: foreign ? [foreign] : [], notes };
  }
  const results: UninstallResult[] = [];
  for (const receipt of meant) {
    const result = await uninstallOne(receipt, request, setting).catch((error: Error) => ({
      receipt,
      error,
    }));
    results.push(result);
  }
  return { results, notes };
}

async function uninstallOne(
  receipt: Receipt,
  { force, dryRun }: UninstallRequest,
  { receipts }: UninstallSetting,
): Promise<UninstallReport> {
  const place = placeOf(receipt);
  const plan = (state: Parameters<typeof planUninstall>[0]) =>
    planUninstall(state, { receipt, place, force });
  const change = await changeConfig(receipt.file, plan, { receipts, dryRun }).catch(async (error) => {
    throw await asUserError(error, receipt.file);
  });
  return { receipt, outcome: change.outcome, before: change.before, after: change.after };
}

/** Receipts of the client and the file that a command line means. */
async function receiptsIn(
  { client, scope }: UninstallRequest,
  known: readonly Receipt[],
  { cwd }: UninstallSetting,
): Promise<readonly Receipt[]> {
  const ofClient = client ? known.filter((receipt) => receipt.client === client.id) : known;
  if (scope.kind === 'config') {
    const file = await real(path.resolve(cwd, scope.file));
    const files = await Promise.all(ofClient.map((receipt) => real(receipt.file)));
    return ofClient.filter((_, index) => files[index] === file);
  }
  if (scope.kind === 'project') {
    const folder = await real(scope.folder);
    const folders = await Promise.all(
      ofClient.map(({ project }) => (project === undefined ? '' : real(project))),
    );
    return ofClient.filter((receipt, index) => receipt.scope === 'project' && folders[index] === folder);
  }
  return ofClient.filter((receipt) => receipt.scope === 'user');
}

async function matching(
  { reference, name }: UninstallRequest,
  receipts: readonly Receipt[],
  { cwd, home }: UninstallSetting,
): Promise<readonly Receipt[]> {
  const named = name === undefined ? receipts : receipts.filter(({ key }) => key === name);
  if (reference === undefined) return named;
  const isPath = isPathArgument(reference);
  const spelled = reference.replace(/^~(?=$|[\\/])/, home);
  const target = isPath ? await real(path.resolve(cwd, spelled)) : undefined;
  const withAt =
    !isPath && reference.split('/').length === 3 && !reference.startsWith('@') ? `@${reference}` : reference;
  return named.filter(
    ({ reference: given, argument, server, key }) =>
      argument === target ||
      (!isPath && [given, server, key].some((one) => one === reference || one === withAt)) ||
      inPackage(argument, target),
  );
}

/** A package folder means its servers. */
function inPackage(argument: string, target: string | undefined): boolean {
  return target !== undefined && path.isAbsolute(argument) && path.dirname(argument) === target;
}

/** One reference may mean several entries of one file; then their keys tell them apart. */
function requireClear({ reference, name, client }: UninstallRequest, meant: readonly Receipt[]): void {
  if (reference === undefined || name !== undefined) return;
  const doubled = meant.filter((one) =>
    meant.some((other) => other !== one && other.client === one.client && other.file === one.file),
  );
  if (doubled.length === 0) return;
  const lines = doubled.map(({ key, file }) => `  ${key} in ${file}`);
  const what = client ? ` in ${client.name}` : '';
  throw new AgentToolsError(
    'ambiguous',
    `"${reference}" was installed more than once${what}:\n${lines.join('\n')}\nSay which one with --name <key>.`,
  );
}

/** An entry that nobody remembers: refused, or with `force` taken out. Undefined if there is none. */
async function removeForeign(
  request: UninstallRequest,
  setting: UninstallSetting,
): Promise<UninstallReport | undefined> {
  const { client, scope, reference, name, force, dryRun } = request;
  const key = name ?? reference;
  if (!client || client.manual || key === undefined) return undefined;
  const { surroundings, receipts } = setting;
  const { file, format, layout } = await placementIn(client, scope, { key, surroundings });
  const { container } = layout;
  const plan = planRemoval({ file, key, place: { format, container, key }, force });
  const remove = (options: { readonly dryRun: boolean }) =>
    changeConfig(file, plan, { receipts, ...options }).catch(async (error) => {
      throw await asUserError(error, file);
    });
  if ((await remove({ dryRun: true })).outcome === 'gone') return undefined;
  const change = await remove({ dryRun });
  const receipt = {
    client: client.id,
    scope: scope.kind,
    file,
    key,
    server: key,
    format,
    container,
  } as Receipt;
  return { receipt, outcome: change.outcome, before: change.before, after: change.after };
}

async function real(file: string): Promise<string> {
  return await realpath(file).catch(() => path.resolve(file));
}
