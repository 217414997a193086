import type { Client } from '@modelcontextprotocol/client';
import { listedKinds, type ServedKind } from '../runtime/served-kind.js';

/** First and longest delay before a broken subscription is opened again, in milliseconds. */
const listenAgainMs = { first: 1000, longest: 60_000 };

export interface ListWatchOptions {
  readonly isOver: () => boolean;
  readonly onListChanged: (kind: ServedKind) => void;
}

/** Listens for changes of the lists until the connection is over. @see MCP 2026-07-28, subscriptions/listen */
export async function listenForLists(
  client: Client,
  { isOver, onListChanged }: ListWatchOptions,
): Promise<void> {
  const capabilities = client.getServerCapabilities();
  const kinds = listedKinds.filter((kind) => capabilities?.[kind]?.listChanged);
  if (kinds.length === 0) return;
  const filter = Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true]));
  let waitMs = listenAgainMs.first;
  let isFirst = true;
  while (!isOver()) {
    try {
      const subscription = await client.listen(filter);
      // Changes without a subscription were not notified.
      if (!isFirst) for (const kind of kinds) onListChanged(kind);
      waitMs = listenAgainMs.first;
      if ((await subscription.closed) === 'local') return;
    } catch {
      // Retried below.
    }
    isFirst = false;
    if (isOver()) return;
    const pause = waitMs;
    await new Promise((resolve) => setTimeout(resolve, pause).unref());
    waitMs = Math.min(waitMs * 2, listenAgainMs.longest);
  }
}
