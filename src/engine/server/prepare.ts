import type { Host } from '../../host.js';
import type { Obtain } from '../extension/obtain.js';
import { MissingPackageError } from '../extension/workspace.js';
import { Initializers } from '../items/initialize.js';
import { listedKinds } from '../items/registry.js';
import { parseToolOptions, reportUnknownOptions, reportUnknownTools } from '../items/tool-options.js';
import { Audience } from './audience.js';
import type { Served } from './factory.js';
import { LazyHost } from './host/lazy-host.js';
import {
  hasUpstreams,
  type Lookout,
  type LookoutRequest,
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
  });
  try {
    const prepared = await prepareWith({ client, audience }, preparation, setting);
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
}

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
  const { server, lacks } = await lookout({ tellsMissing: !obtain }).catch((error: unknown) => {
    if (obtain && error instanceof MissingPackageError) return standIn(error);
    throw error;
  });
  const calls = { server, initializers: new Initializers(), env: host.env, report };
  const toolOptions = parseToolOptions(host.env.MCP_TOOL_OPTIONS, report);
  const tools = server.registry.all('tools');
  reportUnknownOptions(toolOptions, tools, report);
  // Tools of packages that are not here, and of existing servers, may still come.
  if (lacks.length === 0 && server.upstreams.length === 0) reportUnknownTools(toolOptions, tools, report);
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
  const lacking = obtain && lacks.length > 0 ? { lacks, obtain, lookout } : undefined;
  // A server with existing servers is prepared once more, without a host.
  if (lacking || (!client && hasUpstreams(server))) {
    // Most servers have everything, and clients wait for what is loaded.
    const { awaitMore } = await import('./await-more.js');
    const whole = { ...served, ...(await awaitMore({ ...served, lacking, signal, patience })) };
    current = whole;
    return whole;
  }
  return served;
}

/** Serves the server as it is found now, and notifies clients of lists that have changed. */
async function serveAnew({ calls, audience }: Served, look: Lookout): Promise<void> {
  const { isChanged } = await import('./await-more.js');
  const before = calls.server;
  // A server that cannot be composed any more is served as it was.
  const found = await look({ tellsMissing: false }).catch(() => undefined);
  if (!found || hasUpstreams(found.server)) return;
  Object.assign(calls, { server: found.server });
  for (const kind of listedKinds) if (isChanged(kind, before, found.server)) audience.listChanged(kind);
}

function definedIn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
