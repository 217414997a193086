import type { Client } from '@modelcontextprotocol/client';

/** How soon a stream of news is opened again that broke, at first and at the latest. */
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
      // Meanwhile nobody would have said so.
      if (!isFirst) onToolsChanged();
      waitMs = listenAgainMs.first;
      if ((await subscription.closed) === 'local') return;
    } catch {
      // It is tried again.
    }
    isFirst = false;
    if (isOver()) return;
    const pause = waitMs;
    await new Promise((resolve) => setTimeout(resolve, pause).unref());
    waitMs = Math.min(waitMs * 2, listenAgainMs.longest);
  }
}
