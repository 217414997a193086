import { stat } from 'node:fs/promises';
import path from 'node:path';
import { changeConfig } from '../clients/change.js';
import type { Client, Launch, ManualClient, Surroundings, WritableClient } from '../clients/client.js';
import type { Entry } from '../clients/edit/editor.js';
import { checkKey, deriveKey } from '../clients/keys.js';
import { planInstall } from '../clients/ledger/install.js';
import type { Plan } from '../clients/ledger/plan.js';
import { slotOf } from '../clients/ledger/slot.js';
import type { Receipt, Receipts } from '../clients/receipts.js';
import { startable, withReferences } from '../clients/shapes.js';
import { AgentToolsError } from '../errors.js';
import type { WorkspaceOptions } from '../extension/workspace.js';
import type { ToolOptions } from '../items/tool-options.js';
import { desktopEnvironment, verifyServer } from '../server/verify.js';
import { asUserError } from './config-fault.js';
import { type LaunchRequest, launchOf, passingPaths } from './launch.js';
import { commandNotes, droppedIn, readableByOthers } from './notes.js';
import { type Placement, placementIn, type Scope, unreadableIn } from './place.js';
import { type Hidden, hideSecrets, replacedByClient, secretOptions, type Variable } from './secrets.js';
import { brokenCode, type Candidate, checkRequirements, findCandidate } from './server.js';
import { readToolSettings } from './tool-settings.js';

/** One server for one or more clients. */
export interface InstallRequest {
  readonly clients: readonly Client[];
  readonly scope: Scope;
  /** A path, a qualified name or a built-in server. */
  readonly reference: string;
  /** Key of the entry; the server's own when absent. */
  readonly name: string | undefined;
  readonly variables: readonly Variable[];
  readonly toolOptions: readonly string[];
  readonly apps: boolean;
  readonly by: LaunchRequest['by'];
  readonly cwd: string | undefined;
  /** Longest time the server may take to answer; undefined: it is not started. */
  readonly verifyTimeoutMs: number | undefined;
  readonly force: boolean;
  readonly dryRun: boolean;
}

/** What the flow stands on. */
export interface InstallSetting {
  readonly workspace: WorkspaceOptions;
  readonly surroundings: Surroundings;
  readonly receipts: Receipts;
  readonly program: LaunchRequest['program'];
  readonly version: string;
  /** A data folder other than the usual one, which entries must name. */
  readonly dataFolder: string | undefined;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly tell: (text: string) => void;
}

/** What was done for one client, or would be. */
export interface InstallReport {
  readonly client: Client;
  readonly scope: Scope['kind'];
  readonly file: string;
  readonly key: string;
  /** Qualified name. */
  readonly server: string;
  readonly outcome: Plan['outcome'];
  readonly before: string | null;
  readonly after: string | null;
  /** What the user should know, in sentences. */
  readonly notes: readonly string[];
}

/** What a client without a config file is to be told. */
export interface ManualReport {
  readonly client: ManualClient;
  readonly key: string;
  readonly server: string;
  /** What to paste; absent: the client starts no programs. */
  readonly snippet?: string;
}

interface InstallFailure {
  readonly client: Client;
  readonly error: AgentToolsError;
}

export type InstallResult = InstallReport | ManualReport | InstallFailure;

/**
 * Writes a server into the config of clients: everything is checked and the server started once before anything is
 * written. A client that fails does not stop the others.
 * @throws AgentToolsError if there is no such server, or no client could have it.
 */
export async function install(
  request: InstallRequest,
  setting: InstallSetting,
): Promise<readonly InstallResult[]> {
  const project = request.scope.kind === 'project' ? request.scope.folder : undefined;
  const { reference } = request;
  const candidate = await findCandidate({ reference, workspace: setting.workspace, project });
  if (request.by === 'npx' && candidate.byPath) {
    const message = `A server given by its path is on this machine only, so npx cannot start it elsewhere. Leave out --command npx, or name a published package.`;
    throw new AgentToolsError('refused', message);
  }
  const toolOptions = readToolSettings(request.toolOptions, candidate.spec);
  await requireFolder(cwdOf(request, setting));
  const broken = request.verifyTimeoutMs === undefined ? [] : await brokenCode(candidate.spec);
  const verified = new Map<string, Promise<unknown>>();
  const results: InstallResult[] = [];
  for (const client of request.clients) {
    setting.tell(`${client.name} …`);
    const job = { client, candidate, toolOptions, broken, verified };
    const result = await installInto(job, request, setting).catch((error: unknown) =>
      failureOf(client, error),
    );
    results.push(result);
  }
  return results;
}

function cwdOf({ cwd }: InstallRequest, { workspace }: InstallSetting): string | undefined {
  return cwd === undefined ? undefined : path.resolve(workspace.cwd, cwd);
}

async function requireFolder(folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  const info = await stat(folder).catch(() => undefined);
  if (info?.isDirectory()) return;
  const message = `There is no folder ${folder} to be the working directory of the server.`;
  throw new AgentToolsError('not-found', message);
}

/** What a client cannot have is its own failure; anything else is a bug. */
function failureOf(client: Client, error: unknown): InstallFailure {
  if (error instanceof AgentToolsError) return { client, error };
  throw error;
}

interface Job {
  readonly client: Client;
  readonly candidate: Candidate;
  readonly toolOptions: ToolOptions;
  /** What will fail though the server starts, in sentences. */
  readonly broken: readonly string[];
  /** Commands that have been started, by what they are. */
  readonly verified: Map<string, Promise<unknown>>;
}

async function installInto(
  job: Job,
  request: InstallRequest,
  setting: InstallSetting,
): Promise<InstallReport | ManualReport> {
  const { client, candidate } = job;
  const { scope } = request;
  const key = request.name ?? deriveKey(candidate.spec.configKey);
  const launch = launchFor(job, request, setting);
  const notes = await requirementsOf(job, request, setting);
  if (client.manual) {
    const snippet = client.manual.snippet?.(launch, key);
    return { client, key, server: candidate.spec.qualifiedName, ...(snippet !== undefined && { snippet }) };
  }

  checkKey(client, key);
  const placement = await placementIn(client, scope, { key, surroundings: setting.surroundings });
  const options = secretOptions(job.toolOptions);
  const hidden = hideSecrets([...request.variables, ...options.variables], { client, scope, key });
  const receipt: Receipt = {
    client: client.id,
    scope: scope.kind,
    ...(scope.kind === 'project' && { project: scope.folder }),
    file: placement.file,
    format: placement.format,
    container: placement.layout.container,
    key,
    server: candidate.spec.qualifiedName,
    reference: request.reference,
    argument: candidate.argument,
    variables: Object.keys(launch.env),
    entry: entryOf(launch, { client, key, placement, hidden }),
    ...(hidden.additions.length > 0 && { additions: hidden.additions }),
    ...(placement.template !== undefined && { template: placement.template }),
    version: setting.version,
    time: setting.now().toISOString(),
  };
  const plan = planFor(receipt, placement, request);
  const { receipts, surroundings } = setting;
  // What cannot be written need not be started.
  await changeConfig(placement.file, plan, { receipts, dryRun: true }).catch(explain(placement));
  await verify(launch, job, request, setting);
  const change = await changeConfig(placement.file, plan, { receipts, dryRun: request.dryRun }).catch(
    explain(placement),
  );
  return {
    client,
    scope: scope.kind,
    file: placement.file,
    key,
    server: receipt.server,
    outcome: change.outcome,
    before: change.before,
    after: change.after,
    notes: [
      ...job.broken,
      ...notes,
      ...passingPaths(launch, { inProject: scope.kind === 'project' }),
      ...hidden.notes,
      ...(scope.kind === 'user' ? [] : options.notes),
      ...droppedIn({
        previous: change.known.find((one) => one.client === client.id && slotOf(one) === slotOf(receipt)),
        receipt,
        layout: placement.layout,
        toolOptions: job.toolOptions,
      }),
      ...replacedByClient(request.variables, { client, entry: receipt.entry, layout: placement.layout, key }),
      ...(await readableByOthers(placement.file, {
        scope,
        secrets: [...request.variables, ...options.variables].flatMap(({ name, isSecret }) =>
          isSecret ? [name] : [],
        ),
        platform: surroundings.platform,
      })),
      ...(request.force ? await unreadableIn(placement, change.after) : []),
      ...commandNotes(client, request),
      ...(change.outcome === 'unchanged' ? [] : placement.cautions),
    ],
  };
}

interface EntryJob {
  readonly client: WritableClient;
  readonly key: string;
  readonly placement: Placement;
  readonly hidden: Hidden;
}

/** What a launch looks like in the client's file. @throws AgentToolsError for a setting that the client does not have. */
function entryOf(launch: Launch, { client, key, placement, hidden }: EntryJob): Entry {
  const { layout } = placement;
  if (launch.cwd !== undefined && layout.cwd === undefined) {
    const message = `${client.name} has no setting for the working directory of a server. Leave out --cwd.`;
    throw new AgentToolsError('refused', message);
  }
  const plain = Object.entries(launch.env).filter(([name]) => !hidden.names.includes(name));
  const shown = layout.entry({ ...launch, env: Object.fromEntries(plain) }, key);
  return { ...withReferences(shown, layout, hidden.env), ...hidden.fields };
}

type Planner = Parameters<typeof changeConfig>[1];

function planFor(
  receipt: Receipt,
  { format, layout, tolerance }: Placement,
  { force }: InstallRequest,
): Planner {
  const { container } = layout;
  const place = { format, container, key: receipt.key, ...(force ? {} : { tolerance }) };
  return (state) => planInstall(state, { receipt, place, force });
}

function explain({ file }: Placement) {
  return async (error: unknown): Promise<never> => {
    throw await asUserError(error, file);
  };
}

function launchFor(
  { candidate, toolOptions }: Job,
  request: InstallRequest,
  setting: InstallSetting,
): Launch {
  // What others start on their machines names nothing of this one.
  const isShared = request.scope.kind === 'project' && request.by === 'npx';
  const launch = launchOf({
    argument: candidate.argument,
    qualifiedName: candidate.spec.qualifiedName,
    by: request.by,
    program: setting.program,
    version: setting.version,
    inProject: request.scope.kind === 'project' && !candidate.byPath,
    env: Object.fromEntries(request.variables.map(({ name, value }) => [name, value])),
    toolOptions,
    apps: request.apps,
    cwd: cwdOf(request, setting),
    dataFolder: isShared ? undefined : setting.dataFolder,
  });
  return isShared ? launch : startable(launch, setting.surroundings.platform);
}

/** @throws AgentToolsError for what is required and missing. */
async function requirementsOf(
  { client, candidate }: Job,
  request: InstallRequest,
  { surroundings }: InstallSetting,
): Promise<readonly string[]> {
  const { missing, warnings } = await checkRequirements(candidate.spec, {
    capabilities: client.capabilities,
    entryEnv: Object.fromEntries(request.variables.map(({ name, value }) => [name, value])),
    env: surroundings.env,
  });
  if (missing.length === 0) return warnings;
  throw new AgentToolsError(
    'refused',
    `${candidate.spec.qualifiedName} would not work in ${client.name}. ${missing.join(' ')}`,
  );
}

/** Starts what the client would start, once for all clients that would start the same. */
async function verify(
  launch: Launch,
  { verified }: Job,
  request: InstallRequest,
  setting: InstallSetting,
): Promise<void> {
  if (request.verifyTimeoutMs === undefined) return;
  const { home, env, platform } = setting.surroundings;
  const { command, args } = startable(launch, platform);
  const cwd = launch.cwd ?? (request.scope.kind === 'project' ? request.scope.folder : home);
  const name = JSON.stringify([command, args, launch.env, cwd]);
  const started =
    verified.get(name) ??
    verifyServer(
      { command, args, cwd, env: { ...desktopEnvironment(env, { platform, command }), ...launch.env } },
      { timeoutMs: request.verifyTimeoutMs, signal: setting.signal },
    );
  verified.set(name, started);
  await started;
}
