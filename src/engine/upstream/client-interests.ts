import type { ServerMessage } from '../live/message-notifier.js';
import { logLevels } from '../protocol/eras.js';
import type { ServerEvent } from '../protocol/subscriptions.js';
import type { Registry } from '../runtime/registry.js';
import type { UpstreamSpec } from '../runtime/upstream.js';
import type { Upstream } from './upstream.js';
import type { LinkEvents } from './upstream-link.js';

/** Functions that forward notifications to the clients. */
interface ClientChannel {
  readonly announce: (change: ServerEvent) => void;
  readonly tell: (message: ServerMessage) => void;
}

/** Subscriptions and log levels of the clients, combined for the upstream servers. */
export class ClientInterests {
  readonly #options: ClientChannel;
  readonly #upstreamOf: (spec: UpstreamSpec) => Upstream;
  /** Numbers of subscriptions by URI on this server. */
  readonly #subscribed = new Map<string, number>();
  /** Requested log levels by client. */
  readonly #levels = new Map<object, string>();
  #registry: Registry | undefined;

  constructor({ announce, tell }: ClientChannel, upstreamOf: (spec: UpstreamSpec) => Upstream) {
    this.#options = { announce, tell };
    this.#upstreamOf = upstreamOf;
  }

  /** Notifications of an upstream server, forwarded to the clients. */
  eventsOf({ key }: UpstreamSpec): Omit<LinkEvents, 'onListChanged'> {
    const { announce, tell } = this.#options;
    return {
      onResourceUpdated: (theirs) => announce({ kind: 'resource_updated', uri: this.#ownUri(key, theirs) }),
      onLog: (params) => tell({ method: 'notifications/message', params }),
      onElicitationComplete: (params) => tell({ method: 'notifications/elicitation/complete', params }),
    };
  }

  #ownUri(key: string, theirs: string): string {
    const specs = this.#registry?.all('resources') ?? [];
    const uris = specs.find(({ upstream }) => upstream?.upstream.key === key && upstream.uris)?.upstream
      ?.uris;
    return uris?.get(theirs) ?? theirs;
  }

  /** Takes the present items, and subscribes to resources that have arrived. */
  serve(registry: Registry): void {
    this.#registry = registry;
    if (this.#subscribed.size > 0) this.#apply();
  }

  /** Subscribes to changes of a resource. Returns the function that unsubscribes. */
  subscribe(uri: string): () => void {
    this.#subscribed.set(uri, (this.#subscribed.get(uri) ?? 0) + 1);
    this.#apply();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = this.#subscribed.get(uri)! - 1;
      if (left > 0) this.#subscribed.set(uri, left);
      else this.#subscribed.delete(uri);
      this.#apply();
    };
  }

  #apply(): void {
    const specs = this.#registry?.all('resources').filter(({ upstream }) => upstream) ?? [];
    const wanted = new Map(
      specs.map(({ upstream }) => [this.#upstreamOf(upstream!.upstream), [] as string[]]),
    );
    for (const uri of this.#subscribed.keys()) {
      const found =
        specs.find((spec) => spec.uri === uri) ?? specs.find(({ template }) => template?.match(uri));
      if (!found?.upstream) continue;
      const theirs = found.uri === undefined ? uri : found.upstream.theirs;
      wanted.get(this.#upstreamOf(found.upstream.upstream))!.push(theirs);
    }
    for (const [upstream, uris] of wanted) upstream.subscribeTo(uris);
  }

  setLogLevel(client: object, level: string): void {
    this.#levels.set(client, level);
  }

  /** Upstream servers send all messages that any client wants. Undefined if no client has set a level. */
  get lowestLevel(): string | undefined {
    const ranks = [...this.#levels.values()].map((level) => logLevels.indexOf(level as never));
    return ranks.length === 0 ? undefined : logLevels[Math.min(...ranks)];
  }

  forget(client: object): void {
    this.#levels.delete(client);
  }
}
