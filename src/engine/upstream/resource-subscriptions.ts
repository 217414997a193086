import type { Client } from '@modelcontextprotocol/client';
import { anyResult } from './any-result.js';

/** Delay before a broken subscription is opened again, in milliseconds. */
const subscribeAgainMs = 5000;

/** Subscriptions of one connection to resources of an upstream server, in its era. */
export class ResourceSubscriptions {
  readonly #client: Client;
  readonly #isOver: () => boolean;
  #uris: ReadonlySet<string> = new Set();
  /** Resolves when the last change is applied. Changes are applied one by one. */
  #applied: Promise<void> = Promise.resolve();
  #stream: Awaited<ReturnType<Client['listen']>> | undefined;

  constructor(client: Client, isOver: () => boolean) {
    this.#client = client;
    this.#isOver = isOver;
  }

  /** Subscribes to these resources, and to no others. Never rejects. */
  async set(uris: readonly string[], isModern: boolean): Promise<void> {
    const wanted = new Set(uris);
    if (wanted.size === this.#uris.size && uris.every((uri) => this.#uris.has(uri)))
      return await this.#applied;
    const before = this.#uris;
    this.#uris = wanted;
    this.#applied = this.#applied.then(async () => {
      if (this.#isOver()) return;
      if (isModern) await this.#listen();
      else await this.#change(before, wanted);
    });
    await this.#applied;
  }

  /** @see MCP 2025-11-25, server/resources, Subscriptions */
  async #change(before: ReadonlySet<string>, wanted: ReadonlySet<string>): Promise<void> {
    const send = async (method: string, uri: string) =>
      await this.#client.request({ method, params: { uri } }, anyResult).catch(() => {});
    const added = [...wanted].filter((uri) => !before.has(uri));
    const removed = [...before].filter((uri) => !wanted.has(uri));
    await Promise.all([
      ...added.map((uri) => send('resources/subscribe', uri)),
      ...removed.map((uri) => send('resources/unsubscribe', uri)),
    ]);
  }

  /** Opens a stream for the present resources, then closes the previous one. @see MCP 2026-07-28, subscriptions/listen */
  async #listen(): Promise<void> {
    const previous = this.#stream;
    this.#stream = undefined;
    const uris = this.#uris;
    if (uris.size > 0) {
      try {
        const stream = await this.#client.listen({ resourceSubscriptions: [...uris] });
        this.#stream = stream;
        void stream.closed.then((cause) => {
          if (cause !== 'local') this.#listenAgain(uris);
        });
      } catch {
        this.#listenAgain(uris);
      }
    }
    await previous?.close().catch(() => {});
  }

  #listenAgain(uris: ReadonlySet<string>): void {
    const again = async () => {
      if (this.#uris === uris && !this.#isOver()) await this.#listen();
    };
    setTimeout(() => {
      this.#applied = this.#applied.then(again);
    }, subscribeAgainMs).unref();
  }
}
