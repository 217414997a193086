import type { Host } from '../../host.js';
import type { Obtain } from '../extension/obtain.js';
import { MissingPackageError } from '../extension/workspace.js';
import { Initializers } from '../items/initialize.js';
import type { ComingKind } from '../items/lacks.js';
import { listedKinds } from '../items/registry.js';
import { parseToolOptions, reportUnknownOptions, reportUnknownTools } from '../items/tool-options.js';
import { Audience } from './audience.js';
import type { Coming } from './coming.js';
import type { Served } from './factory.js';
import { LazyHost } from './host/lazy-host.js';
import {
  hasUpstreams,
  type Lookout,
  type LookoutRequest,
  type LookoutResult,
  type LookoutSetting,
  openLookout,
  standIn,
} from './lookout.js';
import type { Patience } from './outstanding.js';

/** A server to be served, and the means to complete it. */
export interface Preparation extends LookoutRequest {
  /** Gets packages that are not here, once they are asked for; absent: the server goes without them. */
  readonly obtain?: Obtain | undefined;
  readonly patience?: Patience;
  /** Runs code of extensions in this process, not in an extension host. */
  readonly inProcess?: boolean | undefined;
}

export interface PreparationSetting extends Pick<LookoutSetting, 'report'> {
  readonly host: LookoutSetting['host'] & Partial<Pick<Host, 'stderr'>>;
  /** Aborts when nobody is served any more. */
  readonly signal: AbortSignal;
}

/** A server that is ready to be served. */
export interface Prepared extends Served {
  /** Ends what runs code of its extensions. */
  close(): Promise<void>;
}

/**
 * Finds and composes a server, for any number of connections. Packages that are not here hold nothing up: they are
 * obtained while the server is served. Code of its extensions runs in an extension host, which is started when it is
 * first needed.
 * @throws AgentToolsError if there is no such server, or it cannot be served.
 */
export async function prepareServed(
  preparation: Preparation,
  setting: PreparationSetting,
): Promise<Prepared> {
  const { host, report } = setting;
  if (preparation.inProcess || !host.stderr) return await prepareWith(undefined, preparation, setting);
  const audience = new Audience();
  // With --strict nothing may be missing, so everything is waited for.
  const patienceMs = preparation.strict ? Number.POSITIVE_INFINITY : handshakeWaitMs;
  const loading: LoadingTimes = { patienceMs, startedAt: performance.now() };
  const client = new LazyHost({
    hosted: {
      server: preparation.server,
      project: preparation.project ?? false,
      frozen: preparation.checkDrift !== undefined,
      cwd: host.cwd,
      env: definedIn(host.env),
      home: host.home,
      platform: host.platform,
    },
    stderr: host.stderr,
    report,
    audience,
    patienceMs: () => loading.patienceMs,
  });
  try {
    const prepared = await prepareWith({ client, audience, loading }, preparation, setting);
    const { upstreams, registry } = prepared.calls.server;
    if (upstreams.length === 0 && !registry.all('tools').some(({ upstream }) => upstream)) return prepared;
  } catch (error) {
    await client.close();
    throw error;
  }
  // Existing servers are reached from this process only, and code that calls their tools must be here, too.
  await client.close();
  return await prepareWith(undefined, preparation, setting);
}

interface Isolation {
  readonly client: LazyHost;
  readonly audience: Audience;
  /** Limits of the wait for definitions in code. */
  readonly loading: LoadingTimes;
}

/** Times in milliseconds. */
interface LoadingTimes {
  /** Longest wait of the next composition for one definition. */
  patienceMs: number;
  readonly startedAt: number;
}

/** How long the first answer waits for definitions in code, in milliseconds. */
const handshakeWaitMs = 2000;

/** How long lists wait for them, from the start: less than the 10 s that impatient clients have. */
const listWaitMs = 9500;

async function prepareWith(
  isolation: Isolation | undefined,
  preparation: Preparation,
  { host, report, signal }: PreparationSetting,
): Promise<Prepared> {
  const { strict, patience } = preparation;
  // With --strict nothing may be missing, so nothing is waited for.
  const obtain = strict ? undefined : preparation.obtain;
  const { client, audience = new Audience() } = isolation ?? {};
  const code = client && { loadCode: client.loadCode, isSurface: true };
  const told = new Set<string>();
  const reportOnce = (line: string) => {
    if (!told.has(line)) report(line);
    told.add(line);
  };
  const open = async () => await openLookout(preparation, { host, report: reportOnce, ...code });
  let look = await open();
  const lookout: Lookout = async (options) => {
    const result = await look(options);
    client?.recompose();
    return result;
  };
  const find = async () =>
    await lookout({ tellsMissing: !obtain }).catch((error: unknown) => {
      if (obtain && error instanceof MissingPackageError) return standIn(error);
      throw error;
    });
  const found = await find().catch(async (error: unknown) => {
    // Name, instructions and lists are in the definition of the server itself.
    if (!client?.isLoading) throw error;
    await client.loaded();
    return await find();
  });
  const { server, lacks } = found;
  if (isolation) isolation.loading.patienceMs = Number.POSITIVE_INFINITY;
  const calls = { server, initializers: new Initializers(), env: host.env, report };
  const toolOptions = parseToolOptions(host.env.MCP_TOOL_OPTIONS, report);
  const tools = server.registry.all('tools');
  reportUnknownOptions(toolOptions, tools, report);
  // Tools of packages that are not here, and of existing servers, may still come.
  const isWhole = lacks.length === 0 && found.loading.length === 0;
  if (isWhole && server.upstreams.length === 0) reportUnknownTools(toolOptions, tools, report);
  const close = async () => await client?.close();
  const served = { calls, toolOptions, audience, host: client, close };
  let current: Served = served;
  if (client) {
    client.onSurfaceChanged = async () => {
      // Definitions that were read are kept by the workspace of a lookout.
      look = await open();
      await serveAnew(current, look);
    };
  }
  const following =
    isolation &&
    found.loading.length > 0 &&
    (await followLoading(found.loading, {
      isolation,
      signal,
      // Definitions that are loading are no reason for another wait.
      renew: async () => await serveAnew(current, look),
    }));
  const lacking = obtain && lacks.length > 0 ? { lacks, obtain, lookout } : undefined;
  // A server with existing servers is prepared once more, without a host.
  if (lacking || (!client && hasUpstreams(server))) {
    // Most servers have everything, and clients wait for what is loaded.
    const { awaitMore } = await import('./await-more.js');
    const more = await awaitMore({ ...served, lacking, signal, patience });
    const whole = { ...served, ...more, outstanding: await awaited(more.outstanding, following) };
    current = whole;
    return whole;
  }
  if (!following) return served;
  const whole = { ...served, outstanding: await awaited(following) };
  current = whole;
  return whole;
}

/** Renews the server while its definitions load. */
async function followLoading(
  kinds: readonly ComingKind[],
  {
    isolation: { client, loading },
    renew,
    signal,
  }: {
    readonly isolation: Isolation;
    readonly renew: () => Promise<LookoutResult | undefined>;
    readonly signal: AbortSignal;
  },
): Promise<Coming> {
  const { LoadingDefinitions } = await import('./loading-definitions.js');
  return new LoadingDefinitions({
    kinds,
    progress: async () => await client.loadedMore(),
    renew: async () => {
      const { patienceMs } = loading;
      loading.patienceMs = 0;
      const renewed = await renew();
      loading.patienceMs = patienceMs;
      return client.isLoading ? (renewed?.loading ?? kinds) : [];
    },
    waitMs: listWaitMs - (performance.now() - loading.startedAt),
    signal,
  });
}

async function awaited(...parts: readonly (Coming | false | undefined)[]): Promise<Coming> {
  const { Awaited } = await import('./coming.js');
  const all = new Awaited();
  for (const part of parts) if (part) all.add(part);
  return all;
}

/** Serves the server as it is found now, and notifies clients of lists that have changed. */
async function serveAnew({ calls, audience }: Served, look: Lookout): Promise<LookoutResult | undefined> {
  const { isChanged } = await import('./await-more.js');
  const before = calls.server;
  // A server that cannot be composed any more is served as it was.
  const found = await look({ tellsMissing: false }).catch(() => undefined);
  if (!found || hasUpstreams(found.server)) return found;
  Object.assign(calls, { server: found.server });
  for (const kind of listedKinds) if (isChanged(kind, before, found.server)) audience.listChanged(kind);
  return found;
}

function definedIn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
