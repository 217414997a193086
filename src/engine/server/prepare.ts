import type { Obtain } from '../extension/obtain.js';
import { MissingPackageError } from '../extension/workspace.js';
import { Initializers } from '../items/initialize.js';
import { parseToolOptions, reportUnknownOptions, reportUnknownTools } from '../items/tool-options.js';
import { Audience } from './audience.js';
import { createServer, type Served } from './factory.js';
import { hasUpstreams, type LookoutRequest, type LookoutSetting, openLookout, standIn } from './lookout.js';
import type { Patience } from './outstanding.js';
import type { Dispatcher } from './protocol/dispatcher.js';
import type { Era } from './protocol/eras.js';

/** What is to be served, and what may be done for it. */
export interface Preparation extends LookoutRequest {
  /** Gets packages that are not here, once they are asked for; absent: the server goes without them. */
  readonly obtain?: Obtain | undefined;
  readonly patience?: Patience;
}

export interface PreparationSetting extends LookoutSetting {
  /** Aborts when nobody is served any more. */
  readonly signal: AbortSignal;
}

/** Prepares a server as {@link prepareServed} does; gives what makes the dispatcher of each era. */
export async function prepareServer(
  preparation: Preparation,
  setting: PreparationSetting,
): Promise<(era: Era) => Dispatcher> {
  const served = await prepareServed(preparation, setting);
  return (era) => createServer(served, era);
}

/**
 * Finds and composes a server, for any number of connections. Packages that are not here hold nothing up: they are
 * obtained while the server is served.
 * @throws AgentToolsError if there is no such server, or it cannot be served.
 */
export async function prepareServed(
  preparation: Preparation,
  { host, report, signal }: PreparationSetting,
): Promise<Served> {
  const { strict, patience } = preparation;
  // Whoever wants all or nothing gets nothing that is still to come.
  const obtain = strict ? undefined : preparation.obtain;
  const lookout = await openLookout(preparation, { host, report });
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
  const audience = new Audience();
  const served = { calls, toolOptions, audience };
  const lacking = obtain && lacks.length > 0 ? { lacks, obtain, lookout } : undefined;
  if (lacking || hasUpstreams(server)) {
    // Most servers have everything, and clients wait for what is loaded.
    const { awaitMore } = await import('./await-more.js');
    return {
      ...served,
      ...(await awaitMore({ ...served, lacking, signal, patience })),
    };
  }
  return served;
}
