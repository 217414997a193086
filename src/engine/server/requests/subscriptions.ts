import { ProtocolError } from '../../items/builders.js';
import type { Connection } from '../context.js';
import type { LiveServer } from '../live-server.js';
import { longestSubscribed, mostSubscribed } from '../protocol/listen.js';
import type { RequestContext } from '../protocol/request.js';
import { invalidRequest } from './errors.js';
import type { Wire } from './handler.js';
import { requireResource, resourceAt } from './resources.js';

/** `resources/subscribe`, up to 2025-11-25. */
export async function subscribe(
  connection: Connection,
  { uri }: Wire,
  request: RequestContext,
): Promise<Wire> {
  const address = String(uri);
  const found = await requireResource(connection, address, request);
  if (!('spec' in found && found.spec.subscribable)) {
    throw new ProtocolError(invalidRequest, `Resource cannot be subscribed to: ${address}`, { uri });
  }
  const problem = findExcess(connection.subscribed, address);
  if (problem) throw new ProtocolError(invalidRequest, `Resource cannot be subscribed to: ${problem}`);
  connection.subscribed.add(address);
  return {};
}

/** What is too much of subscriptions for one session. */
function findExcess(subscribed: ReadonlySet<string>, address: string): string | undefined {
  if (address.length > longestSubscribed) return `its address has more than ${longestSubscribed} characters.`;
  if (subscribed.size < mostSubscribed || subscribed.has(address)) return undefined;
  return `this session is subscribed to ${mostSubscribed}, which are the most. Unsubscribe from others first.`;
}

/** `resources/unsubscribe`: what was never subscribed to is as it should be afterwards. */
export function unsubscribe({ subscribed }: Connection, { uri }: Wire): Wire {
  subscribed.delete(String(uri));
  return {};
}

/** True if a subscription of 2026-07-28 to a resource is honoured: it is subscribable, or may still arrive. */
export function mayBeSubscribed(live: LiveServer, uri: string): boolean {
  const found = resourceAt(live.current.registry, uri);
  return found ? found.spec.subscribable : live.isPending('resources');
}
