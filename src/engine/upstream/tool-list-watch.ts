import type { Client } from '@modelcontextprotocol/client';

/** First and longest delay before a broken subscription is opened again, in milliseconds. */
const listenAgainMs = { first: 1000, longest: 60_000 };

export interface ToolListWatchOptions {
  readonly isOver: () => boolean;
  readonly onToolsChanged: () => void;
}

/** Listens for changes of the list of tools until the connection is over. @see MCP 2026-07-28, subscriptions/listen */
export async function listenForTools(
  client: Client,
  { isOver, onToolsChanged }: ToolListWatchOptions,
): Promise<void> {
  if (!client.getServerCapabilities()?.tools?.listChanged) return;
  let waitMs = listenAgainMs.first;
  let isFirst = true;
  while (!isOver()) {
    try {
      const subscription = await client.listen({ toolsListChanged: true });
      // Changes without a subscription were not notified.
      if (!isFirst) onToolsChanged();
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
