import type { Server } from '@modelcontextprotocol/server';
import type { Obtain } from '../extension/obtain.js';
import { MissingPackageError } from '../extension/workspace.js';
import type { ListedKind } from '../items/context.js';
import { Initializers } from '../items/initialize.js';
import { listedKinds } from '../items/registry.js';
import type { Servable } from '../items/server.js';
import { parseToolOptions, reportUnknownTools } from '../items/tool-options.js';
import { Audience } from './audience.js';
import { createServer, type Served } from './factory.js';
import { type LookoutRequest, type LookoutSetting, openLookout, standIn } from './lookout.js';
import type { OutstandingOptions, Patience } from './outstanding.js';
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

/** Prepares a server as {@link prepareServed} does; gives what makes the SDK server of each era. */
export async function prepareServer(
  preparation: Preparation,
  setting: PreparationSetting,
): Promise<(era: Era) => Server> {
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
  // Tools of packages that are not here may still come.
  if (lacks.length === 0) reportUnknownTools(toolOptions, server.registry.all('tools'), report);
  const audience = new Audience();
  if (!obtain || lacks.length === 0) return { calls, toolOptions, audience };

  const renew: OutstandingOptions['renew'] = async () => {
    const next = await lookout({ tellsMissing: false }).catch((error: unknown) => {
      if (error instanceof MissingPackageError) return { server: calls.server, lacks };
      throw error;
    });
    const changed = listedKinds.filter((kind) => isChanged(kind, calls.server, next.server));
    calls.server = next.server;
    return { lacks: next.lacks, changed };
  };
  // Most servers have everything, and clients wait for what is loaded.
  const { Outstanding } = await import('./outstanding.js');
  const outstanding = new Outstanding({ lacks, obtain, renew, audience, report, signal, patience });
  return { calls, toolOptions, audience, outstanding };
}

function isChanged(kind: ListedKind, before: Servable, after: Servable): boolean {
  const shown = ({ registry, apps, skills, listHooks }: Servable) => {
    // Nobody knows what a hook picks.
    const includeHidden = listHooks[kind] !== undefined;
    const { items } = registry.list(kind, { includeHidden, pageSize: Number.POSITIVE_INFINITY });
    const uris = items.map((spec) => (spec.kind === 'tools' ? spec.ui?.app?.uri : undefined));
    const others = [...apps.keys(), ...skills.map(({ directory }) => directory)];
    return JSON.stringify([items.map(({ wire }) => wire), uris, kind === 'resources' && others]);
  };
  return shown(before) !== shown(after);
}
