import { canonical } from '../base/canonical-json.js';
import type { Environment } from '../base/environment.js';
import { AgentToolsError } from '../base/errors.js';
import { isOwnVariable } from '../base/variable-name.js';
import { waitAtMost } from '../base/wait.js';
import { deriveKey } from '../clients/entry-keys.js';
import { upstreamRecordKey } from '../existing-servers/existing-records.js';
import type { ExistingServer, RemoteTransport } from '../existing-servers/existing-server.js';
import type { GivenOptions, GivenPair } from '../existing-servers/given-inputs.js';
import { hideSecrets } from '../existing-servers/hide-secrets.js';
import { npmServerFolder } from '../existing-servers/npm-servers.js';
import type { PreparedLaunch } from '../existing-servers/prepare-launch.js';
import { revealAddress, revealGiven } from '../existing-servers/reveal-inputs.js';
import { shownReference } from '../existing-servers/server-reference.js';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';
import type { Adapt } from '../runtime/adapt.js';
import { composeDefinition, type ServerSpec, type ToolList } from '../runtime/compose-server.js';
import { inlineServer } from '../runtime/inline-server.js';
import { readToolListVariables } from '../runtime/tool-list-setting.js';
import type { UpstreamEndpoint, UpstreamProgram, UpstreamSpec } from '../runtime/upstream.js';
import { type Reveal, revealVariables } from '../secrets/reveal.js';
import { type ExistingDeps, type NamedReference, openExisting, prepareExisting } from './open-existing.js';

/** The tools that are served of an existing server, and their names. */
export interface ItemChoices {
  /** Names of tools. Default: all. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Prefix of tool names. */
  readonly prefix?: string;
  /** New names of tools, by their names on the server. */
  readonly rename?: Readonly<Record<string, string>>;
  readonly toolList?: ToolList;
}

/** An existing server to serve. */
export interface BridgeRequest extends NamedReference, ItemChoices {
  readonly given: GivenOptions;
  /** Transport of a remote server. Default: found out by asking. */
  readonly transport?: RemoteTransport | undefined;
  /** Environment of the environment that a program gets. Default: all except the variables of AgentTools. */
  readonly passes?: readonly string[] | undefined;
  /** Adaptation of tools to clients. */
  readonly adapt?: Adapt | undefined;
}

export interface BridgeDeps extends ExistingDeps {
  readonly reveal: Reveal;
  readonly workspace: WorkspaceOptions;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** Longest wait for the first answer of the server, in milliseconds. A container may have to be downloaded. */
const startTimeoutMs = 60_000;

/** Longest wait of the start for the transport of a remote server, in milliseconds. */
const firstAnswerMs = 700;

/** The server in front of an existing server. */
export interface Bridge {
  readonly compose: () => Promise<ServerSpec>;
  /** The existing server, without secrets. */
  readonly server: ExistingServer;
  /** Key of its recorded surface. */
  readonly surfaceKey: string;
}

/**
 * Prepares an existing server and the server in front of it.
 * @throws AgentToolsError if there is no such server, or an input is missing
 */
export async function createBridge(request: BridgeRequest, deps: BridgeDeps): Promise<Bridge> {
  const { surroundings, report } = deps;
  const { server, findEndpoint } = await prepare(request, deps);
  // A remote server that hangs does not delay the answer to the handshake.
  await waitAtMost(findEndpoint(), firstAnswerMs, deps.signal);
  const upstream: UpstreamSpec = {
    key: upstreamRecordKey(server),
    name: server.name,
    place: findEndpoint,
    startTimeoutMs,
  };
  const variables = readToolListVariables(surroundings.env, report);
  const toolList = request.toolList ?? variables.toolList;
  const adapt = request.adapt ?? variables.adapt;
  const workspace = new Workspace(deps.workspace);
  const { name, version = '0.0.0' } = server;
  const { only, except, prefix, rename } = request;
  const choice = {
    ...(only && { only }),
    ...(except && { except }),
    ...(prefix !== undefined && { prefix }),
    ...(rename && { rename }),
  };
  // The endpoint has no form in a definition: it may contain values of the environment, which are not filled in again.
  const tools = [{ upstream: { command: 'existing' }, ...choice }];
  const definition = inlineServer({ name, version, tools } as never, deps.cwd);
  const compose = async () => {
    const spec = await composeDefinition(definition, workspace, { toolList, adapt });
    const upstreams = spec.upstreams.map((entry) => ({ ...entry, upstream, lendsInfo: true }));
    return { ...spec, upstreams, configKey: deriveKey(name) };
  };
  return { compose, server, surfaceKey: canonical(['existing', server.reference, choice]) };
}

type EndpointRequest = Pick<BridgeRequest, 'text' | 'meant' | 'given' | 'transport' | 'passes'>;

/** An existing server, ready to be started or reached. @throws AgentToolsError */
export async function prepareEndpoint(
  request: EndpointRequest,
  deps: BridgeDeps,
): Promise<{ readonly server: ExistingServer; readonly endpoint: UpstreamEndpoint }> {
  const { server, findEndpoint } = await prepare(request, deps);
  return { server, endpoint: await findEndpoint() };
}

async function prepare(
  request: EndpointRequest,
  deps: BridgeDeps,
): Promise<{ readonly server: ExistingServer; readonly findEndpoint: () => Promise<UpstreamEndpoint> }> {
  const found = await openExisting(request, deps, deps.report);
  const { server, values } = hideSecrets(found, shownReference(request.meant));
  const env = passed(await revealVariables(deps.surroundings.env, deps.reveal), request.passes);
  const given = fillGiven(await revealGiven(request.given, deps.reveal), server, env);
  const surroundings = { ...deps.surroundings, env };
  const prepared = await prepareExisting(server, given, { ...deps, surroundings }, { answers: values });
  if (request.passes && prepared.kind !== 'program') throw remoteInSandbox();
  const launch = await revealAddress(prepared, server, deps.reveal);
  const argumentFolders = request.meant.kind === 'command' ? undefined : ownFolders(server, deps);
  const findEndpoint = onceFound(
    async () => await toEndpoint(launch, request, { ...deps, env, argumentFolders }),
  );
  return { server, findEndpoint };
}

/** The folder of a server that a stranger has written: of its package or bundle. */
function ownFolders(
  { template, content }: ExistingServer,
  { dataFolder }: Pick<BridgeDeps, 'dataFolder'>,
): readonly string[] {
  if (content) return [content.folder];
  const runner = template.kind === 'program' ? template.runner : undefined;
  return runner?.by === 'npm' ? [npmServerFolder(dataFolder, runner)] : [];
}

/** Runs a search once. After a failure, the next call runs it again. */
function onceFound<T>(search: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return async () => {
    found ??= search().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return await found;
  };
}

function remoteInSandbox(): AgentToolsError {
  const message =
    'A remote server runs on another machine, so no sandbox here limits it. Leave out --sandbox.';
  return new AgentToolsError('usage', message);
}

/** The variables with one of the names. Programs are looked for on the `PATH` in any case. */
function passed(env: Environment, names: readonly string[] | undefined): Environment {
  if (!names) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => name === 'PATH' || names.includes(name)));
}

async function toEndpoint(
  launch: PreparedLaunch,
  { transport }: Pick<BridgeRequest, 'transport'>,
  {
    env: variables,
    cwd,
    signal,
    argumentFolders,
  }: Pick<BridgeDeps, 'cwd' | 'signal'> & {
    readonly env: Environment;
    readonly argumentFolders: UpstreamProgram['argumentFolders'];
  },
): Promise<UpstreamEndpoint> {
  if (launch.kind === 'program') {
    const { command, args, env } = launch;
    const passed = Object.entries(variables).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && !isOwnVariable(pair[0]),
    );
    const all = { ...Object.fromEntries(passed), ...env };
    return { command, args, env: all, cwd: launch.cwd ?? cwd, ...(argumentFolders && { argumentFolders }) };
  }
  const { url, headers } = launch;
  const known = transport ?? launch.transport;
  if (known) return { url, headers, transport: known };
  const { verifyRemote } = await import('../preflight/verify-remote.js');
  const asked = { url, headers, transport: undefined };
  const wayOut = 'To reach it without the check, name its transport: --transport http';
  const limits = { timeoutMs: 15_000, signal, wayOut, isHandshakeOnly: true };
  const { transport: found } = await verifyRemote(asked, limits);
  return { url, headers, transport: found };
}

/** Adds declared variables of the environment to the given values, and fills `${NAME}` in arguments and headers. */
function fillGiven(
  { env: pairs, args, headers }: GivenOptions,
  { inputs }: ExistingServer,
  env: Readonly<Record<string, string | undefined>>,
): GivenOptions {
  const isGiven = (name: string) => pairs.some((pair) => pair.name === name);
  const declared = inputs.flatMap(({ givenBy, name, isSecret }): GivenPair[] => {
    const value = env[name];
    return givenBy === 'env' && value !== undefined && !isGiven(name) ? [{ name, value, isSecret }] : [];
  });
  return {
    env: [...pairs, ...declared],
    args: args.map((word) => fillVariables(word, env)),
    headers: headers.map((header) => ({ ...header, value: fillVariables(header.value, env) })),
  };
}

/** @throws AgentToolsError if a variable is not set */
function fillVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$\{([A-Za-z_][\w.-]*)\}/g, (_, name: string) => {
    const value = env[name];
    if (value === undefined)
      throw new AgentToolsError(
        'refused',
        `The variable ${name} is not set. Set it in the environment of the server.`,
      );
    return value;
  });
}
