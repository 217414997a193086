import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import type { Connection } from '../context.js';
import { invalidRequest } from './errors.js';
import type { Wire } from './handler.js';
import { requireResource, resourceAt } from './resources.js';

/** `resources/subscribe`, up to 2025-11-25. */
export async function subscribe(
  connection: Connection,
  { uri }: Wire,
  request: ServerContext,
): Promise<Wire> {
  const address = String(uri);
  const found = await requireResource(connection, address, request);
  if (!('spec' in found && found.spec.subscribable)) {
    throw new ProtocolError(invalidRequest, `Resource cannot be subscribed to: ${address}`, { uri });
  }
  connection.subscribed.add(address);
  return {};
}

/** `resources/unsubscribe`: what was never subscribed to is as it should be afterwards. */
export function unsubscribe({ subscribed }: Connection, { uri }: Wire): Wire {
  subscribed.delete(String(uri));
  return {};
}

/** Whether a subscription of 2026-07-28 to a resource is honoured: it is subscribable, or may come yet. */
export function mayBeSubscribed(
  { calls, outstanding }: Pick<Connection, 'calls' | 'outstanding'>,
  uri: string,
): boolean {
  const found = resourceAt(calls.server.registry, uri);
  return found ? found.spec.subscribable : (outstanding?.includes('resources') ?? false);
}
