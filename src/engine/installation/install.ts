import { AgentToolsError } from '../base/errors.js';
import type { Client, Launch, RemoteLaunch, WritableClient } from '../clients/client.js';
import { type ConfigChange, changeConfig } from '../clients/config-change.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { checkKey } from '../clients/entry-keys.js';
import { planInstall } from '../clients/ledger/install.js';
import { slotKey } from '../clients/ledger/slot.js';
import type { Receipt } from '../clients/receipt.js';
import { keepFolder } from '../existing-servers/kept-folder.js';
import { withExistingHint } from '../existing-servers/naming-hint.js';
import {
  linkNode,
  linkScript,
  nodeCommand,
  type ScriptLinkFacts,
  scriptArgument,
} from '../existing-servers/node-link.js';
import { isSecret } from '../extension/upstream-secrets.js';
import { loginCommand } from '../sign-in/login-command.js';
import { AllowedFindings } from '../text-checks/allowed-findings.js';
import { findTexts, type TextFinding, uniqueFindings } from '../text-checks/text-findings.js';
import { refuseContradiction, withApps } from './apps-setting.js';
import { bridgeReason } from './bridge-launch.js';
import { buildConfigEntry } from './build-entry.js';
import { toUserError } from './config-fault.js';
import { declarationOf } from './declaration.js';
import { type EntryTarget, locateEntryTarget, type Scope } from './entry-target.js';
import { findExistingSource } from './existing-source.js';
import { extensionSource } from './extension-source.js';
import { harmedBy, harmNotes, refusalNotes } from './harm-notes.js';
import { collectNotes } from './install-notes.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import type { InstallFailure, InstallReport, InstallResult, ManualReport } from './install-result.js';
import type { InstallSource } from './install-source.js';
import { requireCwd, withKey } from './launch.js';
import { offerStore } from './offer-store.js';
import { buildRemoteEntry } from './remote-entry.js';
import { refuseSecretArguments } from './secret-arguments.js';
import { hideSecrets, type SecretOptions, type SecretPlaceholders, secretOptions } from './secrets.js';
import { planRecord } from './surface-recording.js';
import { removeUnusedServers } from './unused-servers.js';
import { unchecked, type VerificationCache, verifyOnce } from './verification-cache.js';

/**
 * Installs a server into the config files of clients. Checks everything and starts the server once before it
 * writes. A failure of one client does not stop the others.
 * @throws AgentToolsError if there is no such server, or no client can have it.
 */
export async function install(
  given: InstallRequest,
  setting: InstallDeps,
): Promise<readonly InstallResult[]> {
  await requireCwd(given, setting);
  refuseContradiction(given);
  const request = await offerStore(given, setting);
  const source = await choose(request, setting);
  const verified: VerificationCache = new Map();
  const installAll = async (asked: InstallRequest) => {
    const results: InstallResult[] = [];
    for (const client of asked.clients) {
      setting.tell(`${client.name} …`);
      const result = await installInto({ source, client, verified }, asked, setting).catch((error: unknown) =>
        toInstallFailure(client, error),
      );
      results.push(result);
    }
    return results;
  };
  if (setting.review && !request.dryRun) {
    const planned = await installAll({ ...request, dryRun: true });
    await setting.review(planned).catch(async (error: unknown) => {
      await removeUnused(source, setting);
      throw error;
    });
  }
  const results = await installAll(request);
  if (!request.dryRun && results.every((result) => 'error' in result)) await removeUnused(source, setting);
  return results;
}

/** Removes packages and bundles of entries that could not be written. */
async function removeUnused({ folder }: InstallSource, { receipts, existing }: InstallDeps): Promise<void> {
  if (folder !== undefined) await removeUnusedServers(receipts, existing.dataFolder, [folder]);
}

/** @throws AgentToolsError if there is no such server, or no client can have it as requested. */
async function choose(request: InstallRequest, setting: InstallDeps): Promise<InstallSource> {
  const { reference } = request;
  const existing = await findExistingSource(reference, request, setting);
  if (existing) return existing;
  return await extensionSource(reference, request, setting).catch((error: unknown) => {
    throw withExistingHint(error, reference);
  });
}

/** An `AgentToolsError` is the failure of one client; any other error is a bug. */
function toInstallFailure(client: Client, error: unknown): InstallFailure {
  if (error instanceof AgentToolsError) return { client, error };
  throw error;
}

interface InstallJob {
  readonly source: InstallSource;
  readonly client: Client;
  readonly verified: VerificationCache;
}

/** The server as the client can have it: directly, or through `agenttools start`. */
async function sourceFor({ client, source }: InstallJob, request: InstallRequest): Promise<InstallSource> {
  const { bridge } = source;
  const reason = bridge && bridgeReason(client, source, request);
  const notes = [...source.notes, ...signInNotes(source, client, reason !== undefined)];
  if (reason === undefined) return { ...source, notes };
  return {
    ...source,
    ...bridge,
    notes: [...notes, `The entry starts the server through AgentTools, ${reason}.`],
  };
}

/** Variables of the network in the shell that the server was started without, as the client app starts it. */
function networkNotes(
  { name }: Client,
  env: Readonly<Record<string, string | undefined>>,
  { variables }: InstallRequest,
): readonly string[] {
  const settings = {
    https_proxy: 'https-proxy',
    http_proxy: 'proxy',
    node_extra_ca_certs: 'cafile',
  } as const;
  return Object.entries(env).flatMap(([variable, value]) => {
    const key = Object.entries(settings).find(([known]) => known === variable.toLowerCase())?.[1];
    if (!key || !value || variables.some((given) => given.name === variable)) return [];
    return [
      `It was started without ${variable} of your shell, which ${name} may not have either. If the server needs it: npm config set ${key} "$${variable}"`,
    ];
  });
}

function withNetworkNotes(error: unknown, notes: readonly string[]): unknown {
  if (!(error instanceof AgentToolsError) || notes.length === 0) return error;
  return new AgentToolsError(error.code, [error.message, ...notes].join('\n'), { cause: error });
}

function signInNotes({ signIn }: InstallSource, { name }: Client, isBridged: boolean): readonly string[] {
  if (!signIn) return [];
  if (!isBridged) return [`The server wants a sign-in. ${name} asks for it.`];
  if (signIn.isSignedIn) return ['The server wants a sign-in. You are signed in.'];
  return [`The server wants a sign-in. Sign in with: ${loginCommand(signIn.server)}`];
}

/**
 * Replaces the running Node by its link, so that the entry outlives this version. `isOurs`: replaces AgentTools, too. The
 * words of a command of the user stay.
 */
function withLinks<L extends Launch | RemoteLaunch>(launch: L, facts: ScriptLinkFacts, isOurs: boolean): L {
  if (!('command' in launch) || launch.command !== facts.execPath) return launch;
  const [first, ...args] = launch.args;
  const words = isOurs && first === facts.script ? [scriptArgument(facts), ...args] : launch.args;
  return { ...launch, command: nodeCommand(facts), args: words };
}

/** @throws AgentToolsError if npx cannot start the server on other machines */
function requireNpx({ isExisting, isOurs, isOnlyHere, launch, server }: InstallSource): void {
  const isPackage = !isOurs && 'command' in launch && launch.command === 'npx';
  if (!isExisting || isPackage || (isOurs && !isOnlyHere)) return;
  const message = isOnlyHere
    ? `--command npx is for other machines, too, and ${server} is on this machine only. Leave it out, or name a published package.`
    : `--command npx is for npm packages and for entries that start AgentTools, and ${server} is started without them. Leave it out.`;
  throw new AgentToolsError('refused', message);
}

async function installInto(
  job: InstallJob,
  request: InstallRequest,
  setting: InstallDeps,
): Promise<InstallReport | ManualReport> {
  const { client } = job;
  const source = await sourceFor(job, request);
  const { scope } = request;
  const key = request.name ?? source.keyFor(client);
  const checkable =
    'url' in source.launch || !source.isOurs ? source.launch : withKey(source.launch, key, source.ownKey);
  if (request.by === 'npx') requireNpx(source);
  // Programs that fetch their server need the proxies and certificates of the user.
  const networkNotesOf = ({ command }: Launch) =>
    /(?:^|[\\/])(?:npx|uvx|dnx)(?:\.\w+)?$/i.test(command)
      ? networkNotes(client, setting.surroundings.env, request)
      : [];
  const keepDescribed = await requireTexts(source, source.findings, request, setting);
  const notes = await source.checkClient(client);
  if (client.manual) {
    if (request.frozen) {
      const message = `${client.name} has no config file that AgentTools writes, so nothing is recorded for --frozen. Leave out --frozen.`;
      throw new AgentToolsError('refused', message);
    }
    if (!request.dryRun) await source.record?.();
    if (source.folder !== undefined && !request.dryRun) await keepFolder(source.folder);
    if (!request.dryRun) await keepDescribed();
    const snippet =
      'url' in checkable ? remoteSnippet(checkable, key) : client.manual.snippet?.(checkable, key);
    return { client, key, server: source.server, ...(snippet !== undefined && { snippet }) };
  }

  const { existing, program } = setting;
  const node = {
    dataFolder: existing.dataFolder,
    execPath: program.command,
    script: program.args[0] ?? '',
    platform: setting.surroundings.platform,
  };
  checkKey(client, key);
  if (source.isExisting) refuseSecretArguments(checkable, source.secretArguments, scope);
  const placement = await locateEntryTarget(client, scope, { key, surroundings: setting.surroundings });
  const linked = withLinks(checkable, node, source.isOurs);
  const launch =
    request.apps && source.isOurs && 'command' in linked
      ? await withApps(linked, { ...placement, key })
      : linked;
  const options = secretOptions(source.toolOptions);
  const { entry, hidden } =
    'url' in launch
      ? buildRemoteEntry(launch, {
          client,
          scope,
          key,
          secretNames: source.secretHeaders,
          named: request.named,
        })
      : buildProgramEntry(launch, { source, options, client, scope, key, placement, named: request.named });
  const receipt: Receipt = {
    client: client.id,
    scope: scope.kind,
    ...(scope.kind === 'project' && { project: scope.folder }),
    file: placement.file,
    format: placement.format,
    container: placement.layout.container,
    key,
    server: source.server,
    ...(source.isExisting && { existing: true }),
    kind: source.kind,
    ...(source.version !== undefined && { serverVersion: source.version }),
    ...(source.allowedScripts && { allowedScripts: source.allowedScripts }),
    ...(source.folder !== undefined && { folder: source.folder }),
    ...(source.family !== undefined && { family: source.family }),
    reference: source.reference,
    argument: source.argument,
    declared: { ...(request.set?.declared ?? declarationOf(request, source, setting)) },
    ...(request.set && { set: request.set.name }),
    variables: 'url' in launch ? [] : Object.keys(launch.env),
    entry,
    ...(hidden.additions.length > 0 && { additions: hidden.additions }),
    ...(placement.template !== undefined && { template: placement.template }),
    version: setting.version,
    time: setting.now().toISOString(),
  };
  const plan = planInstallEdit(receipt, placement, request);
  const { receipts, drafts, surroundings } = setting;
  // Checks the write first: if it fails, the server need not be started.
  await changeConfig(placement.file, plan, { receipts, dryRun: true }).catch(rethrowForFile(placement));
  if (!request.dryRun) await source.record?.();
  // A remote server has been asked already, to find out its transport.
  const checked =
    'url' in checkable || (source.isExisting && request.dryRun)
      ? unchecked
      : await verifyOnce(
          { launch: checkable, isOurs: source.isOurs, verified: job.verified },
          request,
          setting,
        ).catch((error: unknown) => {
          throw withNetworkNotes(source.explainFailure?.(error) ?? error, networkNotesOf(checkable));
        });
  const findings = uniqueFindings([...source.findings, ...findTexts(checked.items)]);
  const keepConsent = await requireTexts(source, findings, request, setting);
  const recording = await planRecord(checked, request, setting);
  if (linked !== checkable && !request.dryRun) {
    await linkNode(node);
    if (source.isOurs) await linkScript(node);
  }
  const change = await changeConfig(placement.file, plan, { receipts, dryRun: request.dryRun, drafts }).catch(
    rethrowForFile(placement),
  );
  await recording.write();
  if (!request.dryRun) await keepConsent();
  if (checked.record && !request.dryRun) await source.recordItems?.(checked.record);
  const items = 'url' in launch ? (source.items ?? []) : checked.items;
  const secrets = listSecrets(launch);
  const harmed = harmedBy({ client, key, items, source, request, secrets });
  const isUnreached = checked.absences.length > 0 && source.signIn?.isSignedIn !== false;
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
    ...(source.signIn && source.isOurs && !source.signIn.isSignedIn && { signIn: source.signIn.server }),
    findings,
    harmed,
    notes: [
      ...source.notes,
      ...refusalNotes({ items, source }),
      ...harmNotes(harmed, client, source),
      ...checked.absences,
      ...(isUnreached ? networkNotes(client, setting.surroundings.env, request) : []),
      ...recording.notes,
      ...notes,
      ...(await collectNotes({
        client,
        request,
        source,
        launch,
        linked: linked === checkable ? undefined : node.script,
        placement,
        receipt,
        toolOptions: source.toolOptions,
        options,
        hidden,
        change,
        platform: surroundings.platform,
        isAsked: setting.user !== undefined,
      })),
    ],
  };
}

/**
 * Returns a function that records consent to findings.
 * @throws FindingsError for errors that the user has not allowed
 */
async function requireTexts(
  { subject, forget }: InstallSource,
  findings: readonly TextFinding[],
  { allowFindings }: InstallRequest,
  { existing }: InstallDeps,
): Promise<() => Promise<void>> {
  const command = 'repeat the command with --allow-findings';
  const asked = { subject, findings, codes: allowFindings, command };
  return await new AllowedFindings(existing.dataFolder).require(asked).catch(async (error: unknown) => {
    await forget?.();
    throw error;
  });
}

/** Secret values of a launch. A server could repeat them in names. */
function listSecrets(launch: Launch | RemoteLaunch): readonly string[] {
  const values = Object.entries('url' in launch ? launch.headers : launch.env);
  return values.flatMap(([name, value]) => (value && isSecret(name, value) ? [value] : []));
}

/** The server of the entry that was replaced. */
function serverIn({ known }: ConfigChange, receipt: Receipt): string {
  return known.find((one) => slotKey(one) === slotKey(receipt))!.server;
}

interface ProgramEntryInput {
  readonly source: InstallSource;
  readonly options: SecretOptions;
  readonly client: WritableClient;
  readonly scope: Scope;
  readonly key: string;
  readonly placement: EntryTarget;
  readonly named: InstallRequest['named'];
}

function buildProgramEntry(
  launch: Launch,
  { source, options, client, scope, key, placement, named }: ProgramEntryInput,
): { readonly entry: ConfigEntry; readonly hidden: SecretPlaceholders } {
  const hidden = hideSecrets([...source.variables, ...options.variables], { client, scope, key, named });
  return { entry: buildConfigEntry(launch, { client, key, placement, hidden }), hidden };
}

/** The form that most clients share. */
function remoteSnippet({ url, headers }: RemoteLaunch, key: string): string {
  const entry = { url, ...(Object.keys(headers).length > 0 && { headers }) };
  return `${JSON.stringify({ mcpServers: { [key]: entry } }, undefined, 2)}\n`;
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
