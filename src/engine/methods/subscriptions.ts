import type { Connection } from '../live/connection.js';
import type { LiveServer } from '../live/live-server.js';
import type { WireObject } from '../protocol/envelope.js';
import { maxSubscribedUriLength, maxSubscribedUris } from '../protocol/listen-params.js';
import type { RequestContext } from '../protocol/request.js';
import { invalidRequest } from '../protocol/request-errors.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { requireResource, resourceAt } from './resources.js';

/** `resources/subscribe`, up to 2025-11-25. */
export async function subscribe(
  connection: Connection,
  { uri }: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const address = String(uri);
  const found = await requireResource(connection, address, request);
  if (!('spec' in found && found.spec.subscribable)) {
    throw new ProtocolError(invalidRequest, `Resource cannot be subscribed to: ${address}`, { uri });
  }
  const problem = findExcess(connection.subscribed, address);
  if (problem) throw new ProtocolError(invalidRequest, `Resource cannot be subscribed to: ${problem}`);
  if (!connection.subscribed.has(address)) {
    connection.subscribed.set(address, connection.live.upstreams?.subscribe?.(address) ?? (() => {}));
  }
  return {};
}

/** Returns the limit that a subscription would exceed, as the end of a sentence; undefined if none. */
function findExcess(subscribed: ReadonlyMap<string, unknown>, address: string): string | undefined {
  if (address.length > maxSubscribedUriLength)
    return `its address has more than ${maxSubscribedUriLength} characters.`;
  if (subscribed.size < maxSubscribedUris || subscribed.has(address)) return undefined;
  return `this session is subscribed to ${maxSubscribedUris}, which are the most. Unsubscribe from others first.`;
}

/** `resources/unsubscribe`. Succeeds for a URI without a subscription. */
export function unsubscribe({ subscribed }: Connection, { uri }: WireObject): WireObject {
  subscribed.get(String(uri))?.();
  subscribed.delete(String(uri));
  return {};
}

/** True if a 2026-07-28 subscription to a resource is accepted: the resource is subscribable, or may be pending. */
export function mayBeSubscribed(live: LiveServer, uri: string): boolean {
  const found = resourceAt(live.current.registry, uri);
  return found ? found.spec.subscribable : live.isPending('resources');
}
