import { deferred } from '../base/deferred.js';
import { listEvent } from '../protocol/subscriptions.js';
import type { Servable } from '../runtime/compose-server.js';
import { Initializers } from '../runtime/initialize.js';
import type { MissingPackage, PendingKind } from '../runtime/missing-packages.js';
import { listedKinds, type ServedKind } from '../runtime/served-kind.js';
import type { ServerRuntime } from '../runtime/server-runtime.js';
import type { ToolSpec } from '../runtime/specs.js';
import type { UpstreamCaller } from '../runtime/upstream.js';
import { ChangeNotifier } from './change-notifier.js';
import { ClientRoots } from './client-roots.js';
import { MessageNotifier } from './message-notifier.js';

/** Server composed from the installed packages. */
export interface ComposedServer {
  readonly server: Servable;
  /** Missing packages. Default: none. */
  readonly lacks?: readonly MissingPackage[];
  /** Kinds with definitions that are still loading. Default: none. */
  readonly loading?: readonly PendingKind[];
  /** Key of its recorded surface. Default: the qualified name of the server. */
  readonly surfaceKey?: string | undefined;
  /** Folders of the added packages in the server, by name. Symbolic links are resolved. Default: none. */
  readonly packages?: ReadonlyMap<string, string>;
}

/** `list`: a list. `whole`: a list that its client reads only once. `item`: a request for an unknown item. */
export type WaitPurpose = 'list' | 'whole' | 'item';

/**
 * Source of items that may arrive while the server runs: packages that are being installed, upstream servers that start,
 * definitions that load.
 */
export interface ItemSource {
  /** True if unknown items of a kind may arrive. */
  isPending(kind: PendingKind): boolean;
  /** Resolves when the items of a kind have arrived, or the wait has ended. Never rejects. */
  wait(kind: PendingKind, purpose: WaitPurpose, signal: AbortSignal): Promise<void>;
  /** Sentences about the reasons why items of a kind are missing. */
  reasons(kind: ServedKind): readonly string[];
}

/** The upstream servers of a live server. */
export interface UpstreamSource extends ItemSource, UpstreamCaller {
  /** Returns the server with the known items of its upstream servers. */
  extend(server: Servable): Servable;
  /** Subscribes to changes of a resource. Returns the function that unsubscribes. Absent: another process does it. */
  subscribe?(uri: string): () => void;
  /** Sets the lowest level of log messages that a client wants. */
  setLogLevel?(client: object, level: string): void;
  /** Forgets a client that has disconnected. */
  forget?(client: object): void;
  close(): Promise<void>;
}

/** Decides which parts of a server clients see. */
export interface SurfaceGate {
  /** Returns the composed server without refused upstream servers. They are not opened. */
  admit(composed: Servable): Servable;
  /** Returns the server without refused parts. `composed`: the server without the items of its upstream servers. */
  apply(server: Servable, composed: Servable): Servable;
  /**
   * Called before clients get a list, with the server as it would be without the gate. Returns true if the result of
   * {@link SurfaceGate.apply} changes.
   */
  listed(server: Servable, composed: Servable): boolean;
}

export interface LiveServerOptions<U extends UpstreamSource = UpstreamSource> extends ComposedServer {
  readonly env: ServerRuntime['env'];
  /** Takes one line for stderr. */
  readonly report: ServerRuntime['report'];
  readonly initializers?: Initializers | undefined;
  readonly changes?: ChangeNotifier | undefined;
  /** Default: clients see everything. */
  readonly gate?: SurfaceGate | undefined;
  /** True if the running server applies updates of added packages. Default: false. */
  readonly isUpdatable?: boolean;
  /** True if its files are edited while it is served, so each kind may get items. Default: false. */
  readonly isEdited?: boolean;
  /** True if another process announces list changes. Default: false. */
  readonly isSilent?: boolean;
  /**
   * Composes the server again. `isFresh`: reads files again. Resolves with undefined to keep the last server. Absent:
   * the server is composed once.
   */
  readonly compose?: (options: { readonly isFresh: boolean }) => Promise<ComposedServer | undefined>;
  /** Opens the upstream servers. Absent: they are unreachable. */
  readonly openUpstreams?: ((live: UpstreamPorts) => Promise<U>) | undefined;
}

/** A wait for a list. */
export interface ListWait {
  /** Default: `list`. */
  readonly purpose?: 'list' | 'whole';
  /** Ends the wait. */
  readonly over?: Promise<void>;
}

/** The parts of a live server that its upstream servers use. */
export type UpstreamPorts = Pick<LiveServer, 'roots' | 'refresh' | 'announce' | 'tell'>;

/** The server that all connections share. It is replaced as a whole and never mutated. */
export class LiveServer<U extends UpstreamSource = UpstreamSource> {
  readonly calls: ServerRuntime;
  readonly roots = new ClientRoots();
  /** By the clock of `performance`. */
  readonly openedAt = performance.now();
  /** Subscribes to changes that clients are notified of. Returns the function that unsubscribes. */
  readonly onChange: ChangeNotifier['onChange'];
  readonly announce: ChangeNotifier['announce'];
  /** Subscribes to messages that belong to no request. Returns the function that unsubscribes. */
  readonly onMessage: MessageNotifier['onMessage'];
  readonly tell: MessageNotifier['tell'];
  readonly #options: LiveServerOptions<U>;
  readonly #sources: ItemSource[] = [];
  /** Kinds of the lists that clients may have read. */
  readonly #listed = new Set<ServedKind>();
  /** Tools that were removed after clients may have read the list, by name. The newest come last. */
  readonly #removed = new Map<string, ToolSpec>();
  /** Pending lookups, called after each replacement. */
  readonly #searches = new Set<() => void>();
  #composed: ComposedServer;
  /** The server with the items of its upstream servers. */
  #extended: Servable;
  /** The same without the parts that the gate refuses. */
  #current: Servable;
  #upstreams: U | undefined;
  /** The last replacement. One runs at a time, so no older composition replaces a newer one. */
  #replacing: Promise<unknown> = Promise.resolve();

  constructor(options: LiveServerOptions<U>) {
    const { env, report, initializers = new Initializers() } = options;
    const { onChange, announce } = options.changes ?? new ChangeNotifier();
    this.#options = options;
    this.#composed = this.#admitted(options);
    this.#extended = this.composed;
    this.#current = Object.freeze(this.#gated());
    this.onChange = onChange;
    this.announce = announce;
    const { onMessage, tell } = new MessageNotifier();
    this.onMessage = onMessage;
    this.tell = tell;
    const [current, upstreams] = [() => this.#current, () => this.#upstreams];
    this.calls = {
      get server() {
        return current();
      },
      get upstreams() {
        return upstreams();
      },
      arrivals: this,
      initializers,
      env,
      report,
    };
  }

  /** Creates a live server and opens its upstream servers, if any. */
  static async open<U extends UpstreamSource>(options: LiveServerOptions<U>): Promise<LiveServer<U>> {
    const live = new LiveServer<U>(options);
    await live.replace(options);
    return live;
  }

  /** The current server, as clients see it: with the items of its upstream servers. */
  get current(): Servable {
    return this.#current;
  }

  /** The composed server, without the items of its upstream servers. */
  get composed(): Servable {
    return this.#composed.server;
  }

  /** Undefined if the server has no upstream servers. */
  get upstreams(): U | undefined {
    return this.#upstreams;
  }

  /** True if an update of an added package may change lists. */
  get isUpdatable(): boolean {
    return (this.#options.isUpdatable ?? false) && this.packages.size > 0;
  }

  /** True if its files are edited while it is served. */
  get isEdited(): boolean {
    return this.#options.isEdited ?? false;
  }

  get lacks(): readonly MissingPackage[] {
    return this.#composed.lacks ?? [];
  }

  get packages(): ReadonlyMap<string, string> {
    return this.#composed.packages ?? new Map();
  }

  get loading(): readonly PendingKind[] {
    return this.#composed.loading ?? [];
  }

  /** Adds a source of items that requests wait for. */
  add(source: ItemSource): void {
    this.#sources.push(source);
  }

  /** True if unknown items of a kind may arrive. The server must then declare the capability. */
  isPending(kind: PendingKind): boolean {
    return this.#sources.some((source) => source.isPending(kind));
  }

  /** True if lists may wait for items. */
  get mayWait(): boolean {
    return this.#sources.length > 0;
  }

  /** Tools that the server had when clients may have read the list, and has no more. */
  get removedTools(): readonly ToolSpec[] {
    return [...this.#removed.values()];
  }

  /** Tools that the server has and that its gate refuses. */
  get refusedTools(): readonly ToolSpec[] {
    if (!this.#options.gate) return [];
    const served = new Set(this.#current.registry.all('tools').map(({ name }) => name));
    return this.#extended.registry.all('tools').filter(({ name }) => !served.has(name));
  }

  /** Resolves when a list is complete, or the wait has ended. */
  async ready(
    kind: PendingKind,
    signal: AbortSignal,
    { purpose = 'list', over }: ListWait = {},
  ): Promise<void> {
    const wait = this.#wait(kind, purpose, signal);
    await (over ? Promise.race([wait, over]) : wait);
    const { gate } = this.#options;
    if (gate?.listed(this.#extended, this.composed)) this.#refresh(this.#listed);
    this.#listed.add(kind === 'skills' ? 'resources' : kind);
  }

  /**
   * Looks for an item, now and after each arrival of items. Resolves with undefined if the wait ends without the item.
   */
  async find<T>(
    kind: PendingKind,
    look: () => T | undefined | Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const found = await look();
    if (found !== undefined || this.#sources.length === 0) return found;
    const { promise, resolve, reject } = deferred<T | undefined>();
    const search = async () => {
      const arrived = await look();
      if (arrived !== undefined) resolve(arrived);
    };
    const searchOrFail = () => void search().catch(reject);
    this.#searches.add(searchOrFail);
    this.#wait(kind, 'item', signal).then(look).then(resolve, reject);
    return await promise.finally(() => this.#searches.delete(searchOrFail));
  }

  /** Sentences about the reasons why items of a kind are missing. */
  reasons(kind: ServedKind): readonly string[] {
    return this.#sources.flatMap((source) => source.reasons(kind));
  }

  /** Returns an error text with the reasons why items of a kind are missing. */
  explain(what: string, kind: ServedKind): string {
    const reasons = this.reasons(kind);
    return reasons.length === 0 ? what : [`${what}.`, ...reasons].join(' ');
  }

  /**
   * Composes the server again and announces changed lists: lists that clients may have read. With `isFresh`, announces
   * all changed lists, since clients may keep lists of an earlier process. Rejects if the composition fails.
   */
  async recompose({ isFresh = false } = {}): Promise<void> {
    const kinds = isFresh ? listedKinds : this.#listed;
    await this.#enqueue(async () => await this.#options.compose?.({ isFresh }), kinds);
  }

  /** Replaces the composition. Announces changed lists that clients may have read. */
  async replace(composed: ComposedServer): Promise<void> {
    await this.#enqueue(async () => composed);
  }

  /** Applies the current items of the upstream servers. */
  readonly refresh = (): void => this.#refresh(this.#listed);

  #refresh(kinds: Iterable<ServedKind>): void {
    const before = this.#current;
    this.#extended = this.#upstreams?.extend(this.composed) ?? this.composed;
    this.#current = Object.freeze(this.#gated());
    if (this.#listed.has('tools')) this.#noteRemoved(before);
    for (const kind of this.#options.isSilent ? [] : kinds) {
      if (isChanged(kind, before, this.#current)) this.announce(listEvent(kind));
    }
    for (const search of [...this.#searches]) search();
  }

  #noteRemoved({ registry }: Servable): void {
    const current = new Set(this.#current.registry.all('tools').map(({ name }) => name));
    for (const tool of registry.all('tools')) if (!current.has(tool.name)) this.#removed.set(tool.name, tool);
    for (const name of current) this.#removed.delete(name);
    for (const name of [...this.#removed.keys()].slice(0, -maxRemoved)) this.#removed.delete(name);
  }

  #admitted(composed: ComposedServer): ComposedServer {
    const { gate } = this.#options;
    return gate ? { ...composed, server: gate.admit(composed.server) } : composed;
  }

  #gated(): Servable {
    return this.#options.gate?.apply(this.#extended, this.composed) ?? this.#extended;
  }

  /** Ends the upstream servers. */
  async close(): Promise<void> {
    await this.#upstreams?.close();
  }

  async #enqueue(
    compose: () => Promise<ComposedServer | undefined>,
    kinds: Iterable<ServedKind> = this.#listed,
  ): Promise<void> {
    const last = this.#replacing;
    const replacing = last.then(async () => {
      const complete = await compose();
      if (!complete) return;
      const composed = this.#admitted(complete);
      if (hasUpstreams(composed.server)) await this.#openUpstreams();
      this.#composed = composed;
      this.#refresh(kinds);
    });
    this.#replacing = replacing.catch(() => {});
    await replacing;
  }

  async #openUpstreams(): Promise<void> {
    if (this.#upstreams) return;
    const upstreams = await this.#options.openUpstreams?.(this);
    if (upstreams) this.#sources.push(upstreams);
    this.#upstreams = upstreams;
  }

  async #wait(...asked: Parameters<ItemSource['wait']>): Promise<void> {
    if (this.#sources.length === 0) return;
    await Promise.all(this.#sources.map((source) => source.wait(...asked)));
  }
}

/** Most removed tools that are kept. */
const maxRemoved = 200;

/** True if a server uses upstream servers. */
function hasUpstreams({ upstreams, registry }: Servable): boolean {
  return upstreams.length > 0 || registry.all('tools').some(({ upstream }) => upstream);
}

/** True if clients may see a different list of a kind. */
function isChanged(kind: ServedKind, before: Servable, after: Servable): boolean {
  const shown = ({ registry, apps, skills, listHooks }: Servable) => {
    // A hook may select hidden items.
    const includeHidden = listHooks[kind] !== undefined;
    const { items } = registry.list(kind, { includeHidden, pageSize: Number.POSITIVE_INFINITY });
    const uris = items.map((spec) => (spec.kind === 'tools' ? spec.ui?.app?.uri : undefined));
    const others = [...apps.keys(), ...skills.map(({ directory }) => directory)];
    return JSON.stringify([items.map(({ wire }) => wire), uris, kind === 'resources' && others]);
  };
  return shown(before) !== shown(after);
}
