import { AgentToolsError, isUnknownName } from '../base/errors.js';
import { hasSecretReference } from '../base/secret-reference.js';
import { type ExistingDeps, explainReference, resolveDeps } from '../bridge/open-existing.js';
import { unpackBundle } from '../bundles/unpack-bundle.js';
import type { Launch } from '../clients/client.js';
import { deriveKey } from '../clients/entry-keys.js';
import { toStartable } from '../clients/entry-shapes.js';
import { ExistingRecords, upstreamRecordKey } from '../existing-servers/existing-records.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { readHeaders } from '../existing-servers/given-inputs.js';
import { hideSecrets } from '../existing-servers/hide-secrets.js';
import type { InstalledNpmServer } from '../existing-servers/npm-servers.js';
import { pinReference } from '../existing-servers/package-index.js';
import {
  type PreparedProgram,
  type PreparedRemote,
  prepareLaunch,
} from '../existing-servers/prepare-launch.js';
import { referenceOfCommand } from '../existing-servers/resolve-command.js';
import { type ExistingReference, resolveExisting } from '../existing-servers/resolve-existing.js';
import {
  refersToSecrets,
  revealAddress,
  revealAnswers,
  revealGiven,
} from '../existing-servers/reveal-inputs.js';
import { imageWithoutTag } from '../existing-servers/server-name.js';
import {
  commandReference,
  describeReference,
  readServerReference,
  type ServerReference,
  shownReference,
} from '../existing-servers/server-reference.js';
import { Workspace } from '../extension/workspace.js';
import type { RemoteServer, RemoteVerification } from '../preflight/verify-remote.js';
import { type UpstreamRecord, UpstreamRecords } from '../runtime/upstream-records.js';
import { createReveal } from '../secrets/reveal.js';
import { findTexts, type TextFinding, uniqueFindings } from '../text-checks/text-findings.js';
import { askInputs, optionalInputNotes } from './ask-inputs.js';
import { type BridgeInputs, bridgeLaunch } from './bridge-launch.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import type { InstallSource } from './install-source.js';
import { keepAnswers } from './keep-answers.js';
import type { ServerVariable } from './secrets.js';
import { startNpm } from './start-npm.js';
import { explainUnrunScripts, scriptNote } from './unrun-scripts.js';

/**
 * The existing server that a reference names; undefined if it names a server of an extension.
 * @throws AgentToolsError if there is no such server, it cannot be prepared, or the reference could mean several things
 */
export async function findExistingSource(
  text: string,
  request: InstallRequest,
  setting: InstallDeps,
): Promise<InstallSource | undefined> {
  const reference = request.command ? commandReference(request.command) : readServerReference(text);
  const meant = await understand(reference, request, setting);
  if (!meant) return undefined;
  refuseOptions(request, meant);
  const deps = resolveDeps(existingDeps(setting), request.sha256);
  // The runner chooses the version if no index can be asked.
  const pinned = await pinReference(meant, deps).catch((error: unknown) => {
    if (error instanceof AgentToolsError) return meant;
    throw error;
  });
  const server = await resolveExisting(pinned, deps);
  const shown = shownReference(meant);
  const reading = explainReference({ text, meant }, server);
  if (reading !== undefined) setting.report(reading);
  return await prepareSource({ text: shown ?? text, meant, server }, request, setting);
}

/** An installed extension wins over all other meanings. */
async function understand(
  reference: ServerReference,
  { scope }: InstallRequest,
  setting: InstallDeps,
): Promise<ExistingReference | undefined> {
  if (reference.kind === 'path') return undefined;
  if (reference.kind !== 'name' && reference.kind !== 'registry') return reference;
  const text = reference.kind === 'name' ? reference.text : reference.name;
  const place = scope.kind === 'project' ? { cwd: scope.folder } : { ignoreProject: true };
  const found = await new Workspace({ ...setting.workspace, ...place })
    .findServer(text)
    .catch((error: unknown) => {
      if (error instanceof AgentToolsError && !isUnknownName(error)) return error;
      return undefined;
    });
  if (found !== undefined) return undefined;
  if (reference.kind === 'registry') return reference;
  const { npm, isBare } = reference;
  if (npm && !isBare) return (await isExistingPackage(npm, setting)) ? npm : undefined;
  return undefined;
}

/** True if the package is published and is no extension. A registry that fails is reported by the usual lookup. */
async function isExistingPackage(
  npm: Extract<ServerReference, { kind: 'npm' }>,
  setting: InstallDeps,
): Promise<boolean> {
  try {
    await resolveExisting(npm, resolveDeps(existingDeps(setting)));
    return true;
  } catch (error) {
    if (error instanceof AgentToolsError && error.code === 'ambiguous') throw error;
    return false;
  }
}

function existingDeps({
  existing,
  workspace,
  surroundings,
  program,
  signal,
  tell,
}: InstallDeps): ExistingDeps {
  return { ...existing, surroundings, cwd: workspace.cwd, node: program.command, signal, tell };
}

/** Options that do not apply to the kind of server. @throws AgentToolsError */
function refuseOptions({ toolOptions, sha256, dev }: InstallRequest, meant: ServerReference): void {
  const what = describeReference(meant);
  if (sha256 !== undefined && meant.kind !== 'bundle')
    throw new AgentToolsError('refused', `--sha256 is for bundles, and this is ${what}.`);
  if (dev) throw new AgentToolsError('refused', `--dev is for extensions, and this is ${what}.`);
  if (toolOptions.length > 0)
    throw new AgentToolsError('refused', `--tool-option is for tools of extensions, and this is ${what}.`);
}

/** @throws AgentToolsError for a server without a provenance that can be checked */
function requireNpm({ template }: ExistingServer, { by }: InstallRequest, text: string): void {
  const isNpm = template.kind === 'program' && template.runner.by === 'npm';
  if (isNpm && by === 'node') return;
  const reason = isNpm ? 'npx would install it again, unchecked' : 'it is no npm package';
  throw new AgentToolsError('refused', `The provenance of ${text} cannot be required: ${reason}.`);
}

function builtNotes(installed: InstalledNpmServer | undefined): readonly string[] {
  if (!installed?.provenance) return [];
  const { repository, commit } = installed.provenance;
  return [`It was built from ${repository}, commit ${commit}.`];
}

/** Reference of a command: of its package as the user has named it, without a version that was found out. */
function commandName(words: readonly string[], { source, reference }: ExistingServer): string {
  return source === 'command' ? reference : referenceOfCommand(words);
}

interface ResolvedServer {
  readonly text: string;
  readonly meant: ExistingReference;
  readonly server: ExistingServer;
}

async function prepareSource(
  { text, meant, server: found }: ResolvedServer,
  request: InstallRequest,
  setting: InstallDeps,
): Promise<InstallSource> {
  const { env, home, platform } = setting.surroundings;
  if (request.requireProvenance) requireNpm(found, request, text);
  let installed: InstalledNpmServer | undefined;
  const given = { env: request.variables, args: request.args, headers: readHeaders(request.headers) };
  const base = { cwd: setting.workspace.cwd, home };
  const label = request.command ? found.name : text;
  const { server, values } = hideSecrets(found, text);
  const asked = await askInputs(found, { label, given, base }, setting.user);
  const reveal = createReveal(() => setting.secrets);
  const filled = await prepareLaunch(server, {
    given: await revealGiven(given, reveal),
    answers: { ...values, ...(await revealAnswers(asked, reveal)) },
    base,
    env,
    startNpm: async ({ name, version, bin }) => {
      if (request.by === 'npx') return { command: 'npx', args: npxWords(name, version, bin) };
      const { installed: server, ...start } = await startNpm({ name, version, bin }, request, setting);
      installed = server;
      return start;
    },
    unpack: async (content) => {
      if (request.dryRun) return;
      setting.tell(`Unpacking ${server.name}`);
      await unpackBundle(content, { signal: setting.signal });
    },
  });
  const prepared = await revealAddress(filled, server, reveal);
  const kept = request.dryRun ? asked : await keepAnswers(found, asked, setting);
  const answers = { ...values, ...kept };
  const usesStore = refersToSecrets(given, answers) || (server.source === 'url' && hasSecretReference(text));
  const records = new ExistingRecords(setting.existing.dataFolder);
  const record = async () => await records.write(server.reference, server);
  const isKnown = await records.read(server.reference).catch(() => undefined);
  const texts = {
    subject: familyOf(meant, server)?.replace(/^existing /, '') ?? server.reference,
    findings: describedTexts(found),
    ...(!isKnown && { forget: async () => await records.remove(server.reference) }),
  };
  const items = new UpstreamRecords(setting.existing.dataFolder);
  const recordItems = async (found: UpstreamRecord) => await items.write(upstreamRecordKey(server), found);
  const noted = { ...server, notes: [...server.notes, ...optionalInputNotes(found, { given, base })] };
  if (prepared.kind === 'remote')
    return await remoteSource(
      {
        text,
        meant,
        server: noted,
        prepared,
        usesStore,
        texts,
        record,
        recordItems,
        inputs: { server, given, answers, base },
      },
      request,
      setting,
    );
  const launch = launchOf(prepared, request, platform);
  const folder = installed?.folder ?? server.content?.folder;
  const unrun = installed?.scripted.filter(({ isAllowed }) => !isAllowed) ?? [];
  const allowed = installed?.scripted.filter(({ isAllowed }) => isAllowed).map(({ name }) => name) ?? [];
  return {
    reference: request.command ? commandName(request.command, server) : text,
    server: server.reference,
    argument: server.reference,
    isExisting: true,
    kind: server.source,
    version: server.version,
    family: familyOf(meant, server),
    isOnlyHere: ['command', 'bundle', 'document'].includes(meant.kind),
    ...(folder !== undefined && { folder }),
    ...(allowed.length > 0 && { allowedScripts: allowed }),
    launch,
    isOurs: false,
    usesStore,
    bridge: bridgeLaunch(
      {
        server,
        given,
        answers,
        base,
        ...(meant.kind === 'command' && { command: [prepared.command, ...prepared.shownArgs] }),
      },
      request,
      setting,
    ),
    record,
    recordItems,
    ...texts,
    secretHeaders: [],
    secretArguments: prepared.secretArguments,
    variables: variablesOf(prepared),
    toolOptions: {},
    notes: [...noted.notes, ...builtNotes(installed), ...unrun.map(scriptNote), ...dryRunNotes(request)],
    keyFor: () => deriveKey(server.name),
    ownKey: deriveKey(server.name),
    checkClient: async () => [],
    explainFailure: (error) => explainUnrunScripts(error, unrun),
  };
}

interface FoundRemote extends ResolvedServer {
  readonly prepared: PreparedRemote;
  readonly usesStore: boolean;
  readonly inputs: BridgeInputs;
  readonly texts: Pick<InstallSource, 'subject' | 'findings' | 'forget'>;
  readonly record: () => Promise<void>;
  readonly recordItems: (record: UpstreamRecord) => Promise<void>;
}

/** A remote server. It is asked here, since its entry depends on its transport. */
async function remoteSource(
  { text, meant, server, prepared, usesStore, inputs, texts, record, recordItems }: FoundRemote,
  request: InstallRequest,
  setting: InstallDeps,
): Promise<InstallSource> {
  const { url, headers, secretNames } = prepared;
  if (request.cwd !== undefined || request.variables.length > 0)
    throw new AgentToolsError(
      'refused',
      `${text} is a remote server, which has neither variables nor a folder. Leave out --env and --cwd.`,
    );
  const declared = request.transport ?? prepared.transport;
  const asked = await settleTransport({ url, headers, transport: declared }, request, setting);
  const { transport, wantsSignIn } = asked;
  return {
    ...(wantsSignIn && { signIn: await signInState(url, setting) }),
    reference: text,
    server: server.reference,
    argument: server.reference,
    isExisting: true,
    kind: server.source,
    version: server.version,
    family:
      server.source === 'registry'
        ? `existing registry:${server.reference.replace(/@[^@]*$/, '')}`
        : undefined,
    isOnlyHere: meant.kind === 'document' && !meant.isRemote,
    launch: { url, headers, transport },
    isOurs: false,
    usesStore,
    bridge: bridgeLaunch({ ...inputs, transport }, request, setting),
    record: async () => {
      await record();
      if (asked.record) await recordItems(asked.record);
    },
    ...texts,
    ...(asked.items && { items: asked.items }),
    findings: uniqueFindings([...texts.findings, ...findTexts(asked.items ?? [])]),
    secretHeaders: secretNames,
    secretArguments: prepared.secretArguments,
    variables: [],
    toolOptions: {},
    notes: server.notes,
    keyFor: () => deriveKey(server.name),
    ownKey: deriveKey(server.name),
    checkClient: async () => [],
  };
}

async function settleTransport(
  remote: RemoteServer,
  { verifyTimeoutMs }: InstallRequest,
  setting: InstallDeps,
): Promise<Pick<RemoteVerification, 'transport' | 'wantsSignIn' | 'record' | 'items'>> {
  if (verifyTimeoutMs === undefined)
    return {
      transport: remote.transport ?? (/\/sse\/?$/.test(new URL(remote.url).pathname) ? 'sse' : 'http'),
      wantsSignIn: false,
    };
  setting.tell(`Asking ${new URL(remote.url).host}`);
  const { verifyRemote } = await import('../preflight/verify-remote.js');
  const wayOut = 'To install it without the check, add --no-verify.';
  return await verifyRemote(remote, { timeoutMs: verifyTimeoutMs, signal: setting.signal, wayOut });
}

async function signInState(
  url: string,
  { existing: { dataFolder } }: InstallDeps,
): Promise<NonNullable<InstallSource['signIn']>> {
  const { SignIns } = await import('../sign-in/sign-ins.js');
  const account = new SignIns({ dataFolder }).account(url);
  const record = await account.current();
  return { server: account.server, isSignedIn: record !== undefined && record.over === undefined };
}

/** Servers of extensions are started in a dry run. Existing ones are not, because they would have to be installed. */
function dryRunNotes({ dryRun, verifyTimeoutMs }: InstallRequest): readonly string[] {
  if (!dryRun || verifyTimeoutMs === undefined) return [];
  return ['A dry run neither installs nor starts the server, so whether it answers is not known.'];
}

function npxWords(name: string, version: string, bin: string | undefined): readonly string[] {
  const spec = `${name}@${version}`;
  return bin === undefined ? ['-y', spec] : ['-y', '--package', spec, bin];
}

function launchOf(prepared: PreparedProgram, { cwd, by }: InstallRequest, platform: NodeJS.Platform): Launch {
  const { command, args, env } = prepared;
  const folder = cwd ?? prepared.cwd;
  const launch = { command, args, env, ...(folder !== undefined && { cwd: folder }) };
  return by === 'npx' ? launch : toStartable(launch, platform);
}

function variablesOf({ env, secretNames }: PreparedProgram): readonly ServerVariable[] {
  return Object.entries(env).map(([name, value]) => ({ name, value, isSecret: secretNames.includes(name) }));
}

/** Faults of the texts of a registry, a bundle or a package about the server. */
function describedTexts({ name, title, description, inputs }: ExistingServer): readonly TextFinding[] {
  const said = inputs.map((input) => ({ name: input.name, description: input.description }));
  return findTexts([{ kind: 'server', name, value: { name, title, description, inputs: said } }]);
}

/** Versions of one package, image or entry replace each other. */
function familyOf(meant: ExistingReference, { name }: ExistingServer): string | undefined {
  switch (meant.kind) {
    case 'npm':
    case 'pypi':
    case 'nuget':
    case 'registry':
      return `existing ${meant.kind}:${meant.name}`;
    case 'docker':
      return `existing docker:${imageWithoutTag(meant.image)}`;
    case 'bundle':
      return `existing bundle:${name}`;
    default:
      return undefined;
  }
}
