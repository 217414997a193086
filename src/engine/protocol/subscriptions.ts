import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '../base/value-checks.js';
import type { ListedKind } from '../runtime/context.js';
import { ErrorNumber, type JsonObject, type MessageId } from './envelope.js';
import { metaKey } from './eras.js';
import { maxSubscribedUriLength, maxSubscribedUris } from './listen-params.js';

/** A change that clients can subscribe to. Plain JSON, so that it can travel between processes. */
export type ServerEvent =
  | { readonly kind: 'tools_list_changed' | 'prompts_list_changed' | 'resources_list_changed' }
  | { readonly kind: 'resource_updated'; readonly uri: string };

/** The changes that one subscription reports. @see MCP 2026-07-28, SubscriptionFilter */
export interface SubscriptionFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

const listKeys = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const satisfies Record<ListedKind, keyof SubscriptionFilter>;

/** The notification of a list that changed. */
export const listChanged: Readonly<Record<ListedKind, string>> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
};

/** The event of a list that changed. */
export function listEvent(kind: ListedKind): ServerEvent {
  return { kind: `${kind}_list_changed` };
}

/** The list that an event is about; undefined for a resource. */
export function eventListKind(event: ServerEvent): ListedKind | undefined {
  return event.kind === 'resource_updated'
    ? undefined
    : (event.kind.slice(0, event.kind.indexOf('_')) as ListedKind);
}

/** Facts that decide which parts of a requested filter are granted. */
export interface SubscriptionGrants {
  readonly capabilities: ServerCapabilities;
  /** True if a resource can be subscribed to. */
  readonly isSubscribable: (uri: string) => boolean;
}

/**
 * Returns the part of a requested filter that the server can keep and acknowledges.
 * @see MCP 2026-07-28, basic/patterns/subscriptions, Acknowledgment
 */
export function grantedFilter(
  { notifications }: JsonObject,
  { capabilities, isSubscribable }: SubscriptionGrants,
): SubscriptionFilter {
  const wanted = isRecord(notifications) ? notifications : {};
  const lists = Object.entries(listKeys).filter(
    ([kind, key]) => wanted[key] === true && capabilities[kind as ListedKind]?.listChanged === true,
  );
  const uris = Array.isArray(wanted.resourceSubscriptions) ? wanted.resourceSubscriptions : [];
  const resources = [...new Set<string>(uris)]
    .slice(0, maxSubscribedUris)
    .filter((uri) => uri.length <= maxSubscribedUriLength && isSubscribable(uri));
  const hasResources = resources.length > 0 && capabilities.resources?.subscribe === true;
  return {
    ...Object.fromEntries(lists.map(([, key]) => [key, true])),
    ...(hasResources && { resourceSubscriptions: resources }),
  };
}

/** True if a subscription reports an event. */
export function reports(filter: SubscriptionFilter, event: ServerEvent): boolean {
  if (event.kind === 'resource_updated') return filter.resourceSubscriptions?.includes(event.uri) ?? false;
  return filter[listKeys[eventListKind(event)!]] === true;
}

/** The acknowledgment, which comes before everything else of a subscription. */
export function acknowledgment(id: MessageId, filter: SubscriptionFilter): SubscriptionNotification {
  return createNotification(id, 'notifications/subscriptions/acknowledged', { notifications: filter });
}

/** An event as the notification of a subscription. */
export function toNotification(id: MessageId, event: ServerEvent): SubscriptionNotification {
  const kind = eventListKind(event);
  return kind
    ? createNotification(id, listChanged[kind], {})
    : createNotification(id, 'notifications/resources/updated', {
        uri: (event as Extract<ServerEvent, { kind: 'resource_updated' }>).uri,
      });
}

/** The result that ends a subscription. @see MCP 2026-07-28, basic/patterns/subscriptions, Graceful Closure */
export function endOfSubscription(id: MessageId, serverInfo: unknown): JsonObject {
  return {
    jsonrpc: '2.0',
    id,
    result: {
      resultType: 'complete',
      _meta: { [metaKey.subscriptionId]: id, [metaKey.serverInfo]: serverInfo },
    },
  };
}

/** The error for a client that has as many subscriptions as are allowed. */
export const subscriptionLimit = {
  code: ErrorNumber.Internal,
  message: 'Subscription limit reached',
} as const;

interface SubscriptionNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params: JsonObject;
}

function createNotification(id: MessageId, method: string, params: JsonObject): SubscriptionNotification {
  return { jsonrpc: '2.0', method, params: { ...params, _meta: { [metaKey.subscriptionId]: id } } };
}
