import { deferred } from '../base/deferred.js';
import { identifyClient } from '../interaction/handler-context.js';
import type { Connection } from '../live/connection.js';
import type { RequestContext } from '../protocol/request.js';
import type { ServedKind } from '../runtime/served-kind.js';

/** Waits until lists are complete, at most as long as the client waits for its answer. */
export async function waitForItems(
  kinds: readonly ServedKind[],
  connection: Connection,
  request: RequestContext,
): Promise<void> {
  const { live, adaptation } = connection;
  const ready = async (wait?: Parameters<typeof live.ready>[2]) =>
    void (await Promise.all(kinds.map((kind) => live.ready(kind, request.signal, wait))));
  if (!adaptation || !live.mayWait) return await ready();
  const { name } = identifyClient(connection, request);
  const { over, stop } = endOfPatience(async () => (await adaptation.listPatience(name)).waitMs);
  try {
    await ready({ over });
    const isPartial = kinds.some((kind) => live.reasons(kind).length > 0);
    if (isPartial && (await adaptation.listPatience(name)).readsOnce) await ready({ purpose: 'whole', over });
  } finally {
    stop();
  }
}

/** Shortest patience of all clients, in milliseconds. Limits of clients are loaded after it. */
const shortestMs = 2000;

/** Resolves when the patience of a client ends, and never if its limit is unknown. */
function endOfPatience(limit: () => Promise<number | undefined>): {
  readonly over: Promise<void>;
  readonly stop: () => void;
} {
  const startedAt = performance.now();
  const { promise: over, resolve } = deferred<void>();
  let isStopped = false;
  const begin = async () => {
    const waitMs = await limit();
    if (isStopped || waitMs === undefined) return;
    timer = setTimeout(resolve, waitMs - (performance.now() - startedAt));
  };
  let timer = setTimeout(() => void begin(), shortestMs);
  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  return { over, stop };
}
