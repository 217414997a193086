import path from 'node:path';
import type { Host } from '../../host.js';
import type { Obtain } from '../extension/obtain.js';
import { MissingPackageError } from '../extension/workspace.js';
import { realPathOf } from '../files/disk.js';
import { workspaceFolders } from '../folders.js';
import type { ListedKind } from '../items/context.js';
import { Initializers } from '../items/initialize.js';
import { listedKinds } from '../items/registry.js';
import type { Servable } from '../items/server.js';
import { parseToolOptions, reportUnknownOptions, reportUnknownTools } from '../items/tool-options.js';
import { messageOf } from '../thrown.js';
import { Audience } from './audience.js';
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
import { oneLine } from './one-line.js';
import type { Patience } from './outstanding.js';
import type { PackageWatch } from './package-watch.js';

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
    return await prepareWith({ client, audience }, preparation, setting);
  } catch (error) {
    await client.close();
    throw error;
  }
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
  let watch: PackageWatch | undefined;
  const lookAt: Lookout = async (options) => {
    const result = await look(options);
    watch?.watch(result.packages);
    return result;
  };
  const lookout: Lookout = async (options) => {
    const result = await lookAt(options);
    client?.recompose();
    return result;
  };
  const { server, lacks, packages } = await lookout({ tellsMissing: !obtain }).catch((error: unknown) => {
    if (obtain && error instanceof MissingPackageError) return standIn(error);
    throw error;
  });
  const calls = { server, initializers: new Initializers(), env: host.env, report };
  const toolOptions = parseToolOptions(host.env.MCP_TOOL_OPTIONS, report);
  const tools = server.registry.all('tools');
  reportUnknownOptions(toolOptions, tools, report);
  // Tools of packages that are not here, and of existing servers, may still come.
  if (lacks.length === 0 && server.upstreams.length === 0) reportUnknownTools(toolOptions, tools, report);
  let serve = async (composed: Servable): Promise<readonly ListedKind[]> => {
    if (hasUpstreams(composed)) throw new Error('it takes tools of existing servers only after a restart.');
    const before = calls.server;
    Object.assign(calls, { server: composed });
    const { isChanged } = await import('./await-more.js');
    return listedKinds.filter((kind) => isChanged(kind, before, composed));
  };
  const renew = async () => {
    // Definitions that were read are kept by the workspace of a lookout.
    look = await open();
    const { server: found } = await lookAt({ tellsMissing: false });
    for (const kind of await serve(found)) audience.listChanged(kind);
  };
  // A server that cannot be composed any more is served as it was.
  if (client) client.onSurfaceChanged = async () => await renew().catch(() => {});
  const { dataFolder, packagesFolder } = workspaceFolders(host);
  const isUpdatable = !preparation.checkDrift && hasPackageIn(dataFolder, packages);
  if (isUpdatable) {
    const { PackageWatch } = await import('./package-watch.js');
    const onUpdate = async (names: readonly string[]) => {
      const what = names.join(', ');
      try {
        await (client ? client.swap(renew) : renew());
        report(`Updated while served: ${what}.`);
      } catch (error) {
        report(
          `The update of ${what} cannot be served: ${oneLine(messageOf(error))} The version before is served on.`,
        );
      }
    };
    watch = new PackageWatch({ packagesFolder, onUpdate, signal });
    watch.watch(packages);
  }
  const close = async () => await client?.close();
  const served = { calls, toolOptions, audience, host: client, isUpdatable, close };
  const lacking = obtain && lacks.length > 0 ? { lacks, obtain, lookout } : undefined;
  if (lacking || hasUpstreams(server)) {
    // Most servers have everything, and clients wait for what is loaded.
    const { awaitMore } = await import('./await-more.js');
    const upstream = client && { places: client };
    const options = { ...served, lacking, signal, patience, ...(upstream && { upstream }) };
    const { serve: serveComposed, ...more } = await awaitMore(options);
    serve = serveComposed;
    return { ...served, ...more };
  }
  return served;
}

/** Whether a package lies where `agenttools add` puts packages. */
function hasPackageIn(folder: string, packages: LookoutResult['packages']): boolean {
  if (packages.size === 0) return false;
  const real = realPathOf(folder);
  return (
    real !== undefined && [...packages.values()].some((directory) => directory.startsWith(real + path.sep))
  );
}

function definedIn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
