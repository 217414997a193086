import { AgentToolsError } from '../base/errors.js';
import type { Client, ManualClient } from '../clients/client.js';
import { type ConfigChange, changeConfig } from '../clients/config-change.js';
import { checkKey, deriveKey, writtenKey } from '../clients/entry-keys.js';
import type { Plan } from '../clients/ledger/config-plan.js';
import { planInstall } from '../clients/ledger/install.js';
import { slotKey } from '../clients/ledger/slot.js';
import type { Receipt } from '../clients/receipt.js';
import type { ServerSpec } from '../runtime/compose-server.js';
import type { ToolOptionValues } from '../runtime/tool-options.js';
import { buildConfigEntry } from './build-entry.js';
import { toUserError } from './config-fault.js';
import { type EntryTarget, locateEntryTarget, type Scope } from './entry-target.js';
import { collectNotes } from './install-notes.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import { findBrokenCode, findCandidate, type InstallableServer, isOnlyHere } from './installable-server.js';
import { requireCwd, resolveLaunch } from './launch.js';
import { checkRequirements } from './requirements.js';
import { hideSecrets, secretOptions } from './secrets.js';
import { readToolSettings } from './tool-settings.js';
import { type VerificationCache, verifyOnce } from './verification-cache.js';

/** Completed or planned install for one client. */
export interface InstallReport {
  readonly client: Client;
  readonly scope: Scope['kind'];
  readonly file: string;
  readonly key: string;
  /** Qualified name. */
  readonly server: string;
  readonly outcome: Plan['outcome'];
  /** The server that it replaced, if the two are alternatives. */
  readonly former?: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Notes for the user, in sentences. */
  readonly notes: readonly string[];
}

/** Result for a client without a writable config file. */
export interface ManualReport {
  readonly client: ManualClient;
  readonly key: string;
  readonly server: string;
  /** Text to paste; absent: the client starts no programs. */
  readonly snippet?: string;
}

interface InstallFailure {
  readonly client: Client;
  readonly error: AgentToolsError;
}

export type InstallResult = InstallReport | ManualReport | InstallFailure;

/**
 * Installs a server into the config files of clients. Checks everything and starts the server once before it
 * writes. A failure of one client does not stop the others.
 * @throws AgentToolsError if there is no such server, or no client can have it.
 */
export async function install(
  request: InstallRequest,
  setting: InstallDeps,
): Promise<readonly InstallResult[]> {
  await requireCwd(request, setting);
  const chosen = new Map<string, ChosenServer>();
  for (const client of request.clients) {
    const reference = referenceFor(client, request);
    if (!chosen.has(reference)) chosen.set(reference, await choose(reference, request, setting));
  }
  const verified: VerificationCache = new Map();
  const results: InstallResult[] = [];
  for (const client of request.clients) {
    setting.tell(`${client.name} …`);
    const job = { ...chosen.get(referenceFor(client, request))!, client, verified };
    const result = await installInto(job, request, setting).catch((error: unknown) =>
      toInstallFailure(client, error),
    );
    results.push(result);
  }
  return results;
}

function referenceFor({ kind }: Client, { reference }: InstallRequest): string {
  return typeof reference === 'string' ? reference : reference[kind];
}

/** A server to install, independent of the client. */
interface ChosenServer {
  readonly reference: string;
  readonly candidate: InstallableServer;
  readonly toolOptions: ToolOptionValues;
  /** Items that will fail although the server starts, in sentences. */
  readonly broken: readonly string[];
}

/** @throws AgentToolsError if there is no such server, or no client can have it as requested. */
async function choose(
  reference: string,
  request: InstallRequest,
  setting: InstallDeps,
): Promise<ChosenServer> {
  const project = request.scope.kind === 'project' ? request.scope.folder : undefined;
  const { dryRun } = request;
  const { workspace, obtain, signal, report } = setting;
  const candidate = await findCandidate({ reference, workspace, project, obtain, dryRun, signal, report });
  if (request.by === 'npx' && isOnlyHere(candidate)) {
    const what = candidate.byPath ? 'A server given by its path' : 'A server that you made';
    const message = `${what} is on this machine only, so npx cannot start it elsewhere. Leave out --command npx, or name a published package.`;
    throw new AgentToolsError('refused', message);
  }
  const toolOptions = readToolSettings(request.toolOptions, candidate.spec);
  const broken = request.verifyTimeoutMs === undefined ? [] : await findBrokenCode(candidate.spec);
  return { reference, candidate, toolOptions, broken };
}

/** An `AgentToolsError` is the failure of one client; any other error is a bug. */
function toInstallFailure(client: Client, error: unknown): InstallFailure {
  if (error instanceof AgentToolsError) return { client, error };
  throw error;
}

interface InstallJob extends ChosenServer {
  readonly client: Client;
  readonly verified: VerificationCache;
}

async function installInto(
  job: InstallJob,
  request: InstallRequest,
  setting: InstallDeps,
): Promise<InstallReport | ManualReport> {
  const { client, candidate } = job;
  const { scope } = request;
  const key = request.name ?? keyFor(client, candidate.spec);
  const family = alternativesKey(candidate.spec);
  const launch = resolveLaunch(job, request, setting);
  const notes = await requireRequirements(job, request, setting);
  if (client.manual) {
    const snippet = client.manual.snippet?.(launch, key);
    return { client, key, server: candidate.spec.qualifiedName, ...(snippet !== undefined && { snippet }) };
  }

  checkKey(client, key);
  const placement = await locateEntryTarget(client, scope, { key, surroundings: setting.surroundings });
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
    ...(family !== undefined && { family }),
    reference: job.reference,
    argument: candidate.argument,
    variables: Object.keys(launch.env),
    entry: buildConfigEntry(launch, { client, key, placement, hidden }),
    ...(hidden.additions.length > 0 && { additions: hidden.additions }),
    ...(placement.template !== undefined && { template: placement.template }),
    version: setting.version,
    time: setting.now().toISOString(),
  };
  const plan = planInstallEdit(receipt, placement, request);
  const { receipts, surroundings } = setting;
  // Checks the write first: if it fails, the server need not be started.
  await changeConfig(placement.file, plan, { receipts, dryRun: true }).catch(rethrowForFile(placement));
  const absences = await verifyOnce({ launch, verified: job.verified }, request, setting);
  const change = await changeConfig(placement.file, plan, { receipts, dryRun: request.dryRun }).catch(
    rethrowForFile(placement),
  );
  return {
    client,
    scope: scope.kind,
    file: placement.file,
    key,
    server: receipt.server,
    outcome: change.outcome,
    ...(change.outcome === 'exchanged' && { former: serverIn(change, receipt) }),
    before: change.before,
    after: change.after,
    notes: [
      ...job.broken,
      ...absences,
      ...notes,
      ...(await collectNotes({
        client,
        request,
        isOnlyHere: isOnlyHere(candidate),
        launch,
        placement,
        receipt,
        toolOptions: job.toolOptions,
        options,
        hidden,
        change,
        platform: surroundings.platform,
      })),
    ],
  };
}

/** Keeps an author's key if the client accepts it. A key derived from a name suits every client. */
function keyFor(client: Client, { configKey, hasOwnKey }: ServerSpec): string {
  return hasOwnKey ? writtenKey(client, configKey) : deriveKey(configKey);
}

/** Servers of one extension with the same author's key are alternatives to each other. */
function alternativesKey({ extension, configKey, hasOwnKey }: ServerSpec): string | undefined {
  return hasOwnKey ? JSON.stringify([extension.origin, extension.name, configKey]) : undefined;
}

/** The server of the entry that was replaced. */
function serverIn({ known }: ConfigChange, receipt: Receipt): string {
  return known.find((one) => slotKey(one) === slotKey(receipt))!.server;
}

type PlanConfigChange = Parameters<typeof changeConfig>[1];

function planInstallEdit(
  receipt: Receipt,
  { format, layout, tolerance }: EntryTarget,
  { force }: InstallRequest,
): PlanConfigChange {
  const { container } = layout;
  const place = { format, container, key: receipt.key, ...(force ? {} : { tolerance }) };
  return (state) => planInstall(state, { receipt, place, force });
}

function rethrowForFile({ file }: EntryTarget) {
  return async (error: unknown): Promise<never> => {
    throw await toUserError(error, file);
  };
}

/** @throws AgentToolsError if a requirement is not met. */
async function requireRequirements(
  { client, candidate }: InstallJob,
  request: InstallRequest,
  { surroundings }: InstallDeps,
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
