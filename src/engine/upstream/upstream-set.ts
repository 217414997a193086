import type { Servable } from '../runtime/compose-server.js';
import { listedKinds } from '../runtime/served-kind.js';
import type { UpstreamSpec } from '../runtime/upstream.js';
import { usedUpstreams } from '../runtime/used-upstreams.js';
import { ConnectionPool } from './connection-pool.js';
import type { PlaceKeys } from './place-keys.js';
import { Upstream, type UpstreamOptions } from './upstream.js';

/** Longest run of calls to an upstream server that was removed, in milliseconds. */
const retireMs = 60_000;

export interface UpstreamSetOptions {
  readonly keys: PlaceKeys;
  readonly create: (spec: UpstreamSpec) => Omit<UpstreamOptions, 'spec' | 'lists'>;
}

interface SetMember {
  readonly upstream: Upstream;
  /** The spec of the newest definition. */
  spec: UpstreamSpec;
  readonly pool: ConnectionPool;
  /** Number of open calls. */
  busy: number;
}

/** The upstream servers of a server, by key. A removed one closes after its open calls. */
export class UpstreamSet {
  readonly #options: UpstreamSetOptions;
  readonly #members = new Map<string, SetMember>();
  readonly #retired = new Set<SetMember>();
  /** Keys of upstream servers that start before the server has them. */
  readonly #coming = new Set<string>();

  constructor(options: UpstreamSetOptions) {
    this.#options = options;
  }

  get all(): readonly Upstream[] {
    return [...this.#members.values()].map(({ upstream }) => upstream);
  }

  of(spec: UpstreamSpec): Upstream {
    return this.#memberOf(spec).upstream;
  }

  #memberOf(spec: UpstreamSpec): SetMember {
    const { keys, create } = this.#options;
    const key = keys.keyOf(spec);
    const known = this.#members.get(key);
    if (known) return known;
    const found = keys.found(spec);
    const options = create(spec);
    const upstream = new Upstream({ ...options, spec: found });
    const quiet = { ...options, events: { ...options.events, onItems: () => {}, onLog: () => {} } };
    const pool = new ConnectionPool(
      upstream,
      () => new Upstream({ ...quiet, spec: member.spec, lists: false }),
    );
    const member: SetMember = { upstream, spec: found, pool, busy: 0 };
    this.#members.set(key, member);
    return member;
  }

  /** Closes upstream servers that the server no longer has, after their open calls. */
  retain(server: Servable): void {
    const { keys } = this.#options;
    // The first definition of an endpoint wins, as in `#memberOf`.
    const used = new Map(
      usedUpstreams(server)
        .toReversed()
        .map((spec) => [keys.keyOf(spec), spec]),
    );
    for (const [key, member] of this.#members) {
      const spec = used.get(key);
      if (spec) {
        member.spec = keys.found(spec);
        member.upstream.renew(member.spec);
        continue;
      }
      if (!this.#coming.has(key)) this.#retire(key, member);
    }
  }

  #retire(key: string, member: SetMember): void {
    this.#members.delete(key);
    this.#retired.add(member);
    if (member.busy === 0) this.#end(member);
    else setTimeout(() => this.#end(member), retireMs).unref();
  }

  /**
   * Starts upstream servers that the server will have once `take` returns, until they have listed their items.
   * @throws ToolError with the reason if one does not start; none of the new ones is kept then
   */
  async admit(specs: readonly UpstreamSpec[], take: () => Promise<void>): Promise<void> {
    const keys = specs.map((spec) => this.#options.keys.keyOf(spec)).filter((key) => !this.#members.has(key));
    for (const key of keys) this.#coming.add(key);
    try {
      const all = specs.map((spec) => this.of(spec));
      await Promise.all(all.flatMap((one) => listedKinds.map(async (kind) => await one.listed(kind))));
      await take();
    } catch (error) {
      for (const key of keys) {
        const member = this.#members.get(key);
        if (member) this.#retire(key, member);
      }
      throw error;
    } finally {
      for (const key of keys) this.#coming.delete(key);
    }
  }

  #end(member: SetMember): void {
    if (this.#retired.delete(member)) void closeMember(member);
  }

  /**
   * Runs a call on a connection to an upstream server. Up to 2025-11-25 each user has a connection.
   * @throws ToolError if the server is unavailable; errors of the call
   */
  async run<T>(
    spec: UpstreamSpec,
    { user, signal }: { readonly user: unknown; readonly signal: AbortSignal },
    work: (upstream: Upstream) => Promise<T>,
  ): Promise<T> {
    const member = this.#memberOf(spec);
    member.busy += 1;
    try {
      if (member.upstream.isLegacy === undefined) await member.upstream.open();
      if (!member.upstream.isLegacy) return await work(member.upstream);
      return await member.pool.run(user, signal, work);
    } finally {
      member.busy -= 1;
      if (member.busy === 0) this.#end(member);
    }
  }

  /** Forgets a user that has disconnected. */
  forget(user: unknown): void {
    for (const { pool } of this.#members.values()) pool.forget(user);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#members.values(), ...this.#retired].map(closeMember));
  }
}

async function closeMember({ upstream, pool }: SetMember): Promise<void> {
  await Promise.all([upstream.close(), pool.close()]);
}
