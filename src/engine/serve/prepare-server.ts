import type { Host } from '../../host.js';
import { workspaceFolders } from '../base/folders.js';
import { errorMessage } from '../base/thrown-value.js';
import { toOneLine } from '../base/to-one-line.js';
import { waitAtMost } from '../base/wait.js';
import type { InstallMissing } from '../extension/installer.js';
import { MissingPackageError } from '../extension/workspace.js';
import type { DebugOptions, Renewal } from '../host/host-client.js';
import { LazyHost } from '../host/lazy-host.js';
import { ChangeNotifier } from '../live/change-notifier.js';
import { initializeVariable } from '../live/initialize-faults.js';
import {
  type ComposedServer,
  type ItemSource,
  LiveServer,
  type LiveServerOptions,
  type SurfaceGate,
} from '../live/live-server.js';
import { parseToolOptions, reportUnknownOptions, reportUnknownTools } from '../runtime/tool-options.js';
import { adaptationOf } from '../server/adaptation-of.js';
import { openUpstreamsWith } from '../server/open-upstreams.js';
import type { PackageWatch } from '../server/package-watch.js';
import type { Patience } from '../server/pending-packages.js';
import type { RunningServer } from '../server/running-server.js';
import {
  createServerResolver,
  placeholderServer,
  type ResolveSetting,
  type ServerRequest,
  type ServerResolver,
} from '../server/server-resolver.js';
import type { GateOptions } from '../surface/open-gate.js';
import type { FrozenExtent } from '../surface/surface-gate.js';
import { surfaceVariable } from '../surface/surface-variable.js';
import type { UpstreamHub } from '../upstream/upstream-hub.js';
import { type SandboxChoice, ServerSandbox } from './server-sandbox.js';

/** A server to prepare, and the means to complete it. */
export interface Preparation extends ServerRequest {
  /** Installs missing packages on first use. Default: the server skips their items. */
  readonly obtain?: InstallMissing | undefined;
  /** Returns the version of a missing package that would be installed; undefined if it is unknown. */
  readonly findVersion?: ((name: string, signal: AbortSignal) => Promise<string | undefined>) | undefined;
  readonly patience?: Patience;
  /** Extent of a refusal if the surface differs from its record. Default: nothing is refused. */
  readonly frozen?: FrozenExtent | undefined;
  /** Runs code of extensions in this process, not in an extension host. */
  readonly inProcess?: boolean | undefined;
  /** Default: the server runs without a sandbox. */
  readonly sandbox?: SandboxChoice | undefined;
  /** True if its files are edited while it is served: code is described at each start and renewal. Default: false. */
  readonly isEdited?: boolean | undefined;
  /** Opens the debugger port of the extension host. */
  readonly debug?: DebugOptions | undefined;
  /** Opens the server in place of a search by its name. */
  readonly openServer?: ((signal: AbortSignal) => Promise<ServerResolver>) | undefined;
}

export interface PreparationDeps extends Pick<ResolveSetting, 'report'> {
  readonly host: ResolveSetting['host'] & Partial<Pick<Host, 'stderr'>>;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
}

/** A server that is ready to be served. */
export interface PreparedServer extends RunningServer {
  readonly live: LiveServer;
  /**
   * Composes the server from its current files and announces changed lists. Later calls run in a new extension host,
   * running ones finish on the old host. If the server cannot be composed, rejects and serves the one before.
   */
  renew(renewal?: Renewal): Promise<void>;
  /** Starts the extension host before the first call needs it. Never rejects. */
  warm(): Promise<void>;
  /** Ends the extension host. */
  close(): Promise<void>;
}

interface PreparedWithUpstreams extends PreparedServer {
  readonly live: LiveServer<UpstreamHub>;
}

/**
 * Finds and composes a server, for any number of connections. Does not wait for missing packages: they are installed
 * while the server runs. Extension code runs in an extension host, which starts on first use.
 * @throws AgentToolsError if there is no such server, or it cannot be served.
 */
export async function prepareServer(
  preparation: Preparation,
  setting: PreparationDeps,
): Promise<PreparedServer> {
  const { host, report } = setting;
  const inProcess = Boolean(preparation.inProcess || !host.stderr);
  const sandbox = new ServerSandbox(preparation.sandbox, { host, inProcess, report });
  if (inProcess || !host.stderr) return await prepareWith(undefined, preparation, setting, sandbox);
  const changes = new ChangeNotifier();
  let prepared: PreparedWithUpstreams | undefined;
  // With --strict nothing may be missing, so the composition waits for everything.
  const patienceMs = preparation.strict ? Number.POSITIVE_INFINITY : handshakeWaitMs;
  const loading: LoadingTimes = { patienceMs, startedAt: performance.now() };
  const client = new LazyHost({
    hosted: {
      server: preparation.server,
      project: preparation.project ?? false,
      ...(preparation.frozen && { frozen: preparation.frozen }),
      cwd: host.cwd,
      env: omitUndefinedVariables(host.env),
      home: host.home,
      platform: host.platform,
    },
    stderr: host.stderr,
    report,
    announce: changes.announce,
    live: () => prepared?.live,
    sandbox: () => sandbox.current,
    patienceMs: () => loading.patienceMs,
    isEdited: preparation.isEdited ?? false,
    debug: preparation.debug,
    // If the server cannot be composed again, it stays as it is.
    onSurfaceChanged: async () => await prepared?.live.recompose({ isFresh: true }).catch(() => {}),
  });
  try {
    prepared = await prepareWith({ client, changes, loading }, preparation, setting, sandbox);
    return prepared;
  } catch (error) {
    await client.close();
    await sandbox.close();
    throw error;
  }
}

interface Isolation {
  readonly client: LazyHost;
  readonly changes: ChangeNotifier;
  /** Limits of the wait for definitions in code. */
  readonly loading: LoadingTimes;
}

/** Times in milliseconds. */
interface LoadingTimes {
  /** Longest wait of the next composition for one definition. */
  patienceMs: number;
  readonly startedAt: number;
}

/** Longest wait of the first answer for definitions in code, in milliseconds. */
const handshakeWaitMs = 2000;

/** Longest wait of lists for definitions in code, from the start: less than the 10 s of impatient clients. */
const listWaitMs = 9500;

/** Longest wait of the end for records of upstream servers, and for their processes, in milliseconds. */
const closeWaitMs = 500;

/** Longest first start of an existing server before the handshake, in milliseconds. Impatient clients wait 3 s. */
const firstStartMs = 1800;

async function prepareWith(
  isolation: Isolation | undefined,
  preparation: Preparation,
  setting: PreparationDeps,
  sandbox: ServerSandbox,
): Promise<PreparedWithUpstreams> {
  const startedAt = performance.now();
  const { host, report, signal } = setting;
  const { strict, patience } = preparation;
  const { env } = host;
  // --strict disables auto-install.
  const obtain = strict ? undefined : preparation.obtain;
  const { client, changes } = isolation ?? {};
  const code = client && { loadCode: client.loadCode, isSurface: true };
  const { frozen, isEdited = false } = preparation;
  let packages: LiveServer['packages'] = new Map();
  let watch: PackageWatch | undefined;
  const pinned = (name: string) => (frozen ? packages.get(name) : undefined);
  if (preparation.openServer) await sandbox.openForExisting();
  const resolveServer =
    (await preparation.openServer?.(signal)) ??
    (await createServerResolver(preparation, { host, report, pinned, onFound: sandbox.openFor, ...code }));
  const { dataFolder } = workspaceFolders(host);
  const resolve: ServerResolver = async (options) => {
    const composed = await resolveServer(options);
    packages = composed.packages ?? packages;
    return composed;
  };
  const find = async () =>
    await resolve({ reportsMissing: !obtain }).catch(async (error: unknown) => {
      if (!obtain || !(error instanceof MissingPackageError)) throw error;
      return placeholderServer(error, await versionOf(error.packageName, preparation, signal));
    });
  const first = await find().catch(async (error: unknown) => {
    // Name, instructions and lists are in the definition of the server itself.
    if (!client?.isLoading) throw error;
    await client.loaded();
    return await find();
  });
  if (isolation) isolation.loading.patienceMs = Number.POSITIVE_INFINITY;
  const compose: LiveServerOptions['compose'] = async ({ isFresh }) => {
    const composed = await resolve({ reportsMissing: false, isFresh }).catch((error: unknown) => {
      if (error instanceof MissingPackageError && !isFresh) return undefined;
      throw error;
    });
    client?.recompose();
    await followPackages();
    return composed;
  };
  const openUpstreams = openUpstreamsWith({
    env,
    sandbox: () => sandbox.current,
    report,
    signal,
    patience,
    places: client,
    dataFolder,
  });
  const gate = await gateOf(first, { frozen, file: env[surfaceVariable], dataFolder, report });
  const options = { env, report, changes, gate, isUpdatable: !frozen, isEdited, compose, openUpstreams };
  const live = await LiveServer.open({ ...first, ...options });
  const recompose = async () => await live.recompose({ isFresh: true });
  const renew: PreparedServer['renew'] = async (renewal) =>
    await (client ? client.swap(recompose, renewal) : recompose());
  // Packages that are installed while the server runs are watched from then on.
  const followPackages = async () => {
    if (!frozen && packages.size > 0) watch ??= await watchPackages(renew, setting);
    watch?.watch(packages);
  };
  const { lacks, loading } = live;
  const toolOptions = parseToolOptions(env.MCP_TOOL_OPTIONS, report);
  const tools = live.current.registry.all('tools');
  reportUnknownOptions(toolOptions, tools, report);
  // Tools of missing packages and of upstream servers may still arrive, and definitions may still load.
  const isWhole = lacks.length === 0 && loading.length === 0;
  if (isWhole && live.current.upstreams.length === 0) {
    reportUnknownTools(toolOptions, tools, report);
  }
  if (obtain && lacks.length > 0) {
    // Most servers have everything, and clients wait for code that loads.
    const { PendingPackages } = await import('../server/pending-packages.js');
    live.add(new PendingPackages({ live, obtain, report, signal, patience }));
  }
  if (isolation && loading.length > 0) live.add(await followLoading(live, isolation, signal));
  await followPackages();
  const limitMs = Number(env[initializeVariable]);
  if (client && limitMs > 0) {
    const { InitializeCheck } = await import('./initialize-check.js');
    live.add(new InitializeCheck({ live, host: client, env, limitMs, report }));
  }
  if (live.current.upstreams.some(({ lendsInfo }) => lendsInfo) && live.current.info === first.server.info) {
    // The first start of an existing server: its name and instructions are not recorded yet.
    const leftMs = startedAt + firstStartMs - performance.now();
    await waitAtMost(live.ready('tools', signal), leftMs, signal);
  }
  const close = async () => {
    await Promise.all([client?.close(), waitAtMost(live.close(), closeWaitMs)]);
    await sandbox.close();
  };
  return {
    live,
    toolOptions,
    host: client,
    adaptation: adaptationOf(live),
    renew,
    warm: async () => await client?.warm(),
    close,
  };
}

/** The version of a missing package, for the handshake, which waits for it at most {@link firstStartMs}. */
async function versionOf(
  name: string,
  { findVersion }: Preparation,
  signal: AbortSignal,
): Promise<string | undefined> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(firstStartMs)]);
  let version: string | undefined;
  const finding = findVersion?.(name, enough).then((found) => {
    version = found;
  });
  if (finding) await waitAtMost(finding, firstStartMs, signal);
  return version;
}

/** Most servers have no gate, so its code loads on demand. */
async function gateOf(first: ComposedServer, options: GateOptions): Promise<SurfaceGate | undefined> {
  if (!options.frozen && options.file === undefined) return undefined;
  const { openGate } = await import('../surface/open-gate.js');
  return await openGate(first, options);
}

/** Composes the server again when its packages are updated. */
async function watchPackages(
  renew: PreparedServer['renew'],
  { host, report, signal }: PreparationDeps,
): Promise<PackageWatch> {
  const { PackageWatch } = await import('../server/package-watch.js');
  const onUpdate = async (names: readonly string[]) => {
    const what = names.join(', ');
    try {
      await renew();
      report(`Updated while served: ${what}.`);
    } catch (error) {
      report(
        `The update of ${what} cannot be served: ${toOneLine(errorMessage(error))} The version before is served on.`,
      );
    }
  };
  const { packagesFolder } = workspaceFolders(host);
  return new PackageWatch({ packagesFolder, onUpdate, signal });
}

/** Composes the server again while its definitions load. */
async function followLoading(
  live: LiveServer,
  { client, loading }: Isolation,
  signal: AbortSignal,
): Promise<ItemSource> {
  const { LoadingDefinitions } = await import('../server/loading-definitions.js');
  return new LoadingDefinitions({
    kinds: live.loading,
    progress: async () => await client.loadedMore(),
    renew: async () => {
      const { patienceMs } = loading;
      // Definitions that are loading are no reason for another wait.
      loading.patienceMs = 0;
      // If the server cannot be composed again, it stays as it is.
      await live.recompose().catch(() => {});
      loading.patienceMs = patienceMs;
      return client.isLoading ? live.loading : [];
    },
    waitMs: listWaitMs - (performance.now() - loading.startedAt),
    signal,
  });
}

/** Variables for a server that is started to check it. Its code does not get them. */
const ownVariables: readonly string[] = [surfaceVariable, initializeVariable];

function omitUndefinedVariables(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || ownVariables.includes(name) ? [] : [[name, value]],
    ),
  );
}
