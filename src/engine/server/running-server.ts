import { isRecord } from '../base/value-checks.js';
import { waitAtMost } from '../base/wait.js';
import { serverCapabilities } from '../live/capabilities.js';
import type { ChangeNotifier } from '../live/change-notifier.js';
import type { Adaptation, CodeHost, Connection } from '../live/connection.js';
import type { LiveServer } from '../live/live-server.js';
import type { ServerMessage } from '../live/message-notifier.js';
import { openSession } from '../live/session.js';
import { allowsUi, declaresUi } from '../live/ui-capability.js';
import { answerMethod, findMethod, isMethodOffered } from '../methods/methods.js';
import { mayBeSubscribed } from '../methods/subscriptions.js';
import { Dispatcher, type RequestHandler } from '../protocol/dispatcher.js';
import { type Era, logLevels } from '../protocol/eras.js';
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
  /** Adapts tools to clients. Default: all clients get the tools as they are. */
  readonly adaptation?: Adaptation | undefined;
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
  { live, toolOptions, host, adaptation }: RunningServer,
  era: Era,
  { onChange = live.onChange, isRemote = false }: ConnectionOptions = {},
): Dispatcher {
  const { calls, current } = live;
  const { info, cache } = current;
  const isWhole = !live.isEdited && !listedKinds.some((kind) => live.isPending(kind));
  const mayHaveUi = allowsUi(calls.env) && (current.hasUi || mayBringApps(live));
  const offered = serverCapabilities(live, { era, withUi: mayHaveUi });
  const withoutUi = mayHaveUi ? serverCapabilities(live, { era, withUi: false }) : offered;
  const subscribed: Connection['subscribed'] = new Map();
  let askForRoots: (() => void) | undefined;
  const dispatcher = new Dispatcher({
    era,
    info,
    instructions: (client) => {
      const { instructions } = live.current;
      return instructions && (adaptation?.instructionsFor(client, instructions) ?? instructions);
    },
    ready: async (signal) => await waitForDiscovery(live, signal),
    hold: (uri) => live.upstreams?.subscribe?.(uri),
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
    adaptation,
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
  const ignore =
    era === 'legacy'
      ? live.onMessage((message) => forwardMessage(message, dispatcher, connection))
      : () => {};
  dispatcher.onclose = () => {
    unsubscribe();
    ignore();
    for (const release of subscribed.values()) release();
    live.upstreams?.forget?.(connection);
    live.roots.forget(connection);
    host?.forget(connection);
  };
  return dispatcher;
}

/** True if pending tools, or upstream servers with unknown resources, may bring apps. */
function mayBringApps(live: LiveServer): boolean {
  const takesApps = live.current.upstreams.some(({ apps }) => apps !== undefined);
  return live.isEdited || live.isPending('tools') || (takesApps && live.isPending('resources'));
}

/** Longest wait of `server/discover` for instructions, in milliseconds from the start. Impatient clients wait 3 s. */
const firstDiscoveryMs = 1500;

/** The same for later requests, from the request. */
const discoveryMs = 400;

/** Waits until the instructions of upstream servers are known. */
async function waitForDiscovery(live: LiveServer, signal: AbortSignal): Promise<void> {
  if (live.current.upstreams.length === 0) return;
  const leftMs = Math.max(live.openedAt + firstDiscoveryMs - performance.now(), discoveryMs);
  await waitAtMost(live.ready('tools', signal), leftMs, signal);
}

/** Sends a message of an upstream server that belongs to no request, if the client wants its level. */
function forwardMessage(
  { method, params }: ServerMessage,
  dispatcher: Dispatcher,
  { logLevel }: Connection,
): void {
  const rank = logLevels.indexOf(params.level as never);
  if (method === 'notifications/message' && rank < logLevels.indexOf(logLevel)) return;
  void dispatcher.tell({ method, params });
}

/** Longest wait for a client to list its roots. */
const rootsTimeoutMs = 60_000;

/** Lists that depend on UI support or on a hook differ between clients, so they are private. */
function listHints(
  { ttlMs, scope }: CacheHint,
  { listHooks, upstreams }: Servable,
  mayHaveUi: boolean,
): CacheHints {
  // The items of an upstream server may change at any time.
  if (upstreams.length > 0) return {};
  const hint = (varies: boolean): CacheHint => ({ ttlMs, scope: varies ? 'private' : scope });
  const resources = hint(mayHaveUi || listHooks.resources !== undefined);
  return {
    'tools/list': hint(mayHaveUi || listHooks.tools !== undefined),
    'prompts/list': hint(listHooks.prompts !== undefined),
    'resources/list': resources,
    'resources/templates/list': resources,
    'server/discover': hint(mayHaveUi),
  };
}
