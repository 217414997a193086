import { isRecord } from '../base/value-checks.js';
import { serverCapabilities } from '../live/capabilities.js';
import type { ChangeNotifier } from '../live/change-notifier.js';
import type { CodeHost, Connection } from '../live/connection.js';
import type { LiveServer } from '../live/live-server.js';
import { openSession } from '../live/session.js';
import { allowsUi, declaresUi } from '../live/ui-capability.js';
import { answerMethod, findMethod, isMethodOffered } from '../methods/methods.js';
import { mayBeSubscribed } from '../methods/subscriptions.js';
import { Dispatcher, type RequestHandler } from '../protocol/dispatcher.js';
import type { Era } from '../protocol/eras.js';
import type { CacheHints } from '../protocol/results.js';
import type { Servable } from '../runtime/compose-server.js';
import { listedKinds } from '../runtime/served-kind.js';
import type { CacheHint } from '../runtime/specs.js';
import { createAnnouncer } from './announcer.js';

/** Shared by all connections of one server. */
export interface RunningServer {
  readonly live: LiveServer;
  readonly toolOptions: Connection['toolOptions'];
  /** Runs code of the extension. Default: this process. */
  readonly host?: CodeHost | undefined;
}

/** Settings of one connection. */
export interface ConnectionOptions {
  /** Subscribes to the changes that the client is notified of. Default: changes of the live server. */
  readonly onChange?: ChangeNotifier['onChange'];
  /** True if the client works on another machine, which has its own folders. */
  readonly isRemote?: boolean;
}

/** Creates the dispatcher that answers the messages of one connection to a server, in one era. */
export function createServer(
  { live, toolOptions, host }: RunningServer,
  era: Era,
  { onChange = live.onChange, isRemote = false }: ConnectionOptions = {},
): Dispatcher {
  const { calls, current } = live;
  const { info, instructions, cache } = current;
  const isWhole = !listedKinds.some((kind) => live.isPending(kind));
  // Pending tools may have apps.
  const mayHaveUi = allowsUi(calls.env) && (current.hasUi || live.isPending('tools'));
  const offered = serverCapabilities(live, { era, withUi: mayHaveUi });
  const withoutUi = mayHaveUi ? serverCapabilities(live, { era, withUi: false }) : offered;
  const subscribed = new Set<string>();
  let askForRoots: (() => void) | undefined;
  const dispatcher = new Dispatcher({
    era,
    info,
    instructions,
    // A client that has not introduced itself may be one that shows UI.
    capabilities: (client) => (client === undefined || declaresUi(client) ? offered : withoutUi),
    handlerOf,
    // Lists of a server that misses packages may change at any moment.
    ...(cache && isWhole && { cacheHints: listHints(cache, current, mayHaveUi) }),
    isSubscribable: (uri) => mayBeSubscribed(live, uri),
    isSubscribed: (uri) => subscribed.has(uri),
    onNotification: {
      'notifications/initialized': () => {
        const { capabilities } = dispatcher.client ?? {};
        if (!isRecord(capabilities) || !capabilities.roots) return;
        // Few clients have roots.
        void import('../interaction/roots.js').then(({ watchRoots }) => {
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
    live,
    toolOptions,
    shown: async (request, query) => {
      // Few handlers use it.
      const { listShownItems } = await import('../methods/shown-items.js');
      return await listShownItems({ connection, request }, query);
    },
    announce: createAnnouncer(live, (kind) => offered[kind]?.listChanged === true),
    session: era === 'legacy' && !host ? openSession() : undefined,
    host,
    subscribed,
    roots: isRemote ? undefined : live.roots,
    root: undefined,
    logLevel: 'info',
  };
  function handlerOf(method: string): RequestHandler | undefined {
    const row = findMethod(method, era);
    if (!row || !isMethodOffered(method, row, offered)) return undefined;
    return async (params, request) => await answerMethod(row.handler, connection, params, request);
  }
  const unsubscribe = onChange((change) => dispatcher.notifyChange(change));
  dispatcher.onclose = () => {
    unsubscribe();
    live.roots.forget(connection);
    host?.forget(connection);
  };
  return dispatcher;
}

/** Longest wait for a client to list its roots. */
const rootsTimeoutMs = 60_000;

/** Lists that depend on UI support or on a hook differ between clients, so they are private. */
function listHints(
  { ttlMs, scope }: CacheHint,
  { listHooks, upstreams }: Servable,
  mayHaveUi: boolean,
): CacheHints {
  const hint = (varies: boolean): CacheHint => ({ ttlMs, scope: varies ? 'private' : scope });
  const resources = hint(mayHaveUi || listHooks.resources !== undefined);
  return {
    // The tools of an upstream server may change at any time.
    ...(upstreams.length === 0 && { 'tools/list': hint(mayHaveUi || listHooks.tools !== undefined) }),
    'prompts/list': hint(listHooks.prompts !== undefined),
    'resources/list': resources,
    'resources/templates/list': resources,
    'server/discover': hint(mayHaveUi),
  };
}
