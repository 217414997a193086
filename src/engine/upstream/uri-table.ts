import type { Servable } from '../runtime/compose-server.js';
import type { UpstreamSpec } from '../runtime/upstream.js';

/** Owners of the URIs of a server: the server itself, and its upstream servers. */
export class UriTable {
  /** Keys of upstream servers by URI; empty for the server itself. */
  readonly #owners = new Map<string, string>();
  /** URIs of apps that are listed. */
  readonly #taken = new Set<string>();

  constructor({ apps, registry }: Servable) {
    for (const uri of apps.keys()) this.#owners.set(uri, '');
    for (const { uri, uriTemplate } of registry.all('resources')) this.#owners.set((uri ?? uriTemplate)!, '');
  }

  /** Claims a URI. Returns the key of the present owner, if there is one. */
  claim(uri: string, { key }: UpstreamSpec): string | undefined {
    const owner = this.#owners.get(uri);
    if (owner === undefined) this.#owners.set(uri, key);
    return owner;
  }

  /** Claims the URI of an app, or the next free one that is like it. */
  claimLike(uri: string, upstream: UpstreamSpec): string {
    for (let number = 2, next = uri; ; number += 1) {
      if (this.claim(next, upstream) === undefined) return next;
      next = `${uri}-${number}`;
    }
  }

  /** Marks the URI of an app as listed. False if it already was. */
  take(uri: string): boolean {
    if (this.#taken.has(uri)) return false;
    this.#taken.add(uri);
    return true;
  }
}
