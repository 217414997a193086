import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';

import { isObject, type JsonObject } from './envelope.js';

type IsHonoured = (uri: string) => boolean;

const rules = new WeakMap<Server, IsHonoured>();

/** Has a server honour subscriptions to some resources only. The SDK's entry would promise all that is asked for. */
export function honourOnly(server: Server, isHonoured: IsHonoured): void {
  rules.set(server, isHonoured);
}

/**
 * A message as the SDK's entry may have it: a `subscriptions/listen` asks for what is honoured, so that the
 * acknowledgment says no more (MCP 2026-07-28 basic/patterns/subscriptions, Acknowledgment).
 */
export function withoutUnhonoured(server: Server, message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message) || message.method !== 'subscriptions/listen') return message;
  const isHonoured = rules.get(server);
  return isHonoured ? honouring(isHonoured, message) : message;
}

/** A `subscriptions/listen` that asks for no resources but those that are honoured. */
export function honouring(isHonoured: IsHonoured, message: JSONRPCMessage): JSONRPCMessage {
  if (!('params' in message)) return message;
  const notifications = (message.params as JsonObject | undefined)?.notifications;
  const wanted: unknown = isObject(notifications) ? notifications.resourceSubscriptions : undefined;
  if (!Array.isArray(wanted)) return message;
  // What is not even an address is for the entry to refuse.
  const resourceSubscriptions = wanted.filter((uri) => typeof uri !== 'string' || isHonoured(uri));
  const params = {
    ...message.params,
    notifications: { ...(notifications as JsonObject), resourceSubscriptions },
  };
  return { ...message, params } as JSONRPCMessage;
}
