import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';

import { tasksExtension } from '../extensions.js';
import { type ErrorBody, ErrorNumber, isObject, type JsonObject } from './envelope.js';
import { metaKey } from './eras.js';

/** To how many resources a session or a stream may be subscribed, and how long their addresses may be. */
export const mostSubscribed = 1000;
export const longestSubscribed = 2048;

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
  const resourceSubscriptions = [...new Set(wanted)]
    .slice(0, mostSubscribed)
    .filter((uri) => typeof uri !== 'string' || (uri.length <= longestSubscribed && isHonoured(uri)));
  const params = {
    ...message.params,
    notifications: { ...(notifications as JsonObject), resourceSubscriptions },
  };
  return { ...message, params } as JSONRPCMessage;
}

/** Whoever wants to hear of tasks must say that it knows them. @see SEP-2663, Task Status Notifications */
export function findListenFault({ notifications, _meta }: JsonObject): ErrorBody | undefined {
  if (!isObject(notifications) || notifications.taskIds === undefined) return undefined;
  const capabilities = isObject(_meta) ? _meta[metaKey.clientCapabilities] : undefined;
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  if (isObject(extensions) && extensions[tasksExtension] !== undefined) return undefined;
  return {
    code: ErrorNumber.MissingCapability,
    message: `Notifications of tasks need the client capability "extensions.${tasksExtension}", which this client does not have.`,
    data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
  };
}
