import { isRecord } from '../extension/shapes.js';
import type { Calls } from '../items/calls.js';
import { listedKinds } from '../items/registry.js';
import type { CacheHint } from '../items/specs.js';
import { type Announcements, announcer, type Listener } from './audience.js';
import { capabilitiesOf } from './capabilities.js';
import type { Coming } from './coming.js';
import type { CodeHost, Connection } from './context.js';
import { Dispatcher, type RequestHandler } from './protocol/dispatcher.js';
import type { Era } from './protocol/eras.js';
import type { CacheHints } from './protocol/results.js';
import { answer, isOffered, methodOf } from './requests/methods.js';
import { mayBeSubscribed } from './requests/subscriptions.js';
import { openSession } from './session.js';
import { allowsUi, declaresUi } from './ui.js';
import type { Workplaces } from './workplaces.js';

/** What every connection of one served server shares. */
export interface Served {
  readonly calls: Calls;
  readonly toolOptions: Connection['toolOptions'];
  /** Who is told what changes. */
  readonly audience: Announcements;
  /** What the server still waits for; absent: nothing. */
  readonly outstanding?: Coming | undefined;
  /** Where it is kept in what places the clients work; absent: nobody else wants to know. */
  readonly workplaces?: Workplaces | undefined;
  /** Packages of the server may be updated while it is served. */
  readonly isUpdatable?: boolean | undefined;
  /** Runs code of the extension; absent: this process does. */
  readonly host?: CodeHost | undefined;
}

/** Makes what answers the messages of one connection to a composed server, in one era. */
export function createServer(
  { calls, toolOptions, audience, outstanding, workplaces, host, isUpdatable = false }: Served,
  era: Era,
): Dispatcher {
  const { info, instructions, cache } = calls.server;
  const isWhole = !listedKinds.some((kind) => outstanding?.includes(kind));
  // Tools that are still to come may bring their apps along.
  const mayHaveUi = allowsUi(calls.env) && (calls.server.hasUi || (outstanding?.includes('tools') ?? false));
  const offered = capabilitiesOf(calls, { era, outstanding, isUpdatable, withUi: mayHaveUi });
  const withoutUi = mayHaveUi
    ? capabilitiesOf(calls, { era, outstanding, isUpdatable, withUi: false })
    : offered;
  const subscribed = new Set<string>();
  let askForRoots: (() => void) | undefined;
  const dispatcher = new Dispatcher({
    era,
    info,
    instructions,
    // A client that has not introduced itself may be one that shows UI.
    capabilities: (client) => (client === undefined || declaresUi(client) ? offered : withoutUi),
    handlerOf,
    // What may change any moment is not to be kept.
    ...(cache && isWhole && { cacheHints: listHints(cache, calls.server, mayHaveUi) }),
    isSubscribable: (uri) => mayBeSubscribed(connection, uri),
    isSubscribed: (uri) => subscribed.has(uri),
    onNotification: {
      'notifications/initialized': () => {
        const { capabilities } = dispatcher.client ?? {};
        if (!isRecord(capabilities) || !capabilities.roots) return;
        // Few clients have roots.
        void import('./interaction/roots.js').then(({ watchRoots }) => {
          const ask = async () =>
            await dispatcher.ask({ method: 'roots/list' }, { timeoutMs: rootsTimeoutMs });
          askForRoots = watchRoots(connection, ask);
        });
      },
      'notifications/roots/list_changed': () => askForRoots?.(),
    },
    report: calls.report,
  });
  const connection: Connection = {
    era,
    peer: dispatcher,
    calls,
    toolOptions,
    outstanding: isWhole && !outstanding?.isLasting ? undefined : outstanding,
    shown: async (request, query) => {
      // Few handlers want to know.
      const { shownTo } = await import('./requests/shown.js');
      return await shownTo({ connection, request }, query);
    },
    announce: announcer({ calls, audience, mayChange: (kind) => offered[kind]?.listChanged === true }),
    session: era === 'legacy' && !host ? openSession() : undefined,
    host,
    subscribed,
    workplaces,
    root: undefined,
    logLevel: 'info',
  };
  function handlerOf(method: string): RequestHandler | undefined {
    const row = methodOf(method, era);
    if (!row || !isOffered(method, row, offered)) return undefined;
    return async (params, request) => await answer(row.handler, connection, params, request);
  }
  const listener: Listener = {
    listChanged: (kind) => dispatcher.notifyListChanged(kind),
    resourceUpdated: (uri) => dispatcher.notifyResourceUpdated(uri),
  };
  audience.join(listener);
  dispatcher.onclose = () => {
    audience.leave(listener);
    workplaces?.forget(connection);
    host?.forget(connection);
  };
  return dispatcher;
}

/** How long a client has to list its roots. */
const rootsTimeoutMs = 60_000;

/** What clients that show UI are told is not for others; nor is what a hook picks for whoever asks. */
function listHints(
  { ttlMs, scope }: CacheHint,
  { listHooks, upstreams }: Calls['server'],
  mayHaveUi: boolean,
): CacheHints {
  const hint = (varies: boolean): CacheHint => ({ ttlMs, scope: varies ? 'private' : scope });
  const resources = hint(mayHaveUi || listHooks.resources !== undefined);
  return {
    // Nobody knows how long an upstream server has the tools it has.
    ...(upstreams.length === 0 && { 'tools/list': hint(mayHaveUi || listHooks.tools !== undefined) }),
    'prompts/list': hint(listHooks.prompts !== undefined),
    'resources/list': resources,
    'resources/templates/list': resources,
    'server/discover': hint(mayHaveUi),
  };
}
