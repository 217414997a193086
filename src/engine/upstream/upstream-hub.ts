import { setMaxListeners } from 'node:events';
import { isRecord } from '../base/value-checks.js';
import { waitAtMost } from '../base/wait.js';
import type { ClientRoots } from '../live/client-roots.js';
import { asker, localUser, type RequesterInfo } from '../live/connection.js';
import type { UpstreamSource, WaitPurpose } from '../live/live-server.js';
import type { ServerMessage } from '../live/message-notifier.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { ServerEvent } from '../protocol/subscriptions.js';
import type { Servable } from '../runtime/compose-server.js';
import type { Context } from '../runtime/context.js';
import type { PendingKind } from '../runtime/missing-packages.js';
import { ToolError, type ToolResult } from '../runtime/result-builders.js';
import type { ServedKind } from '../runtime/served-kind.js';
import { reportOnce } from '../runtime/server-runtime.js';
import type {
  ToolUpstream,
  UpstreamEntry,
  UpstreamListing,
  UpstreamRequest,
  UpstreamSpec,
} from '../runtime/upstream.js';
import { type UpstreamItems, withUpstreamItems } from '../runtime/upstream-items.js';
import type { UpstreamRecords } from '../runtime/upstream-records.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { checkToolResult, requireResult, withOwnUris } from './check-result.js';
import { ClientInterests } from './client-interests.js';
import { withFullStop } from './error-text.js';
import { recordOf } from './listed-names.js';
import { type PlaceFinder, PlaceKeys } from './place-keys.js';
import type { SignInSource } from './remote-sign-in.js';
import { canReadUnlisted } from './select-resources.js';
import { SuspendedCalls, type SuspendedCallsOptions } from './suspended-calls.js';
import { takeItems } from './take-items.js';
import { defaultPace, type RetryPolicy, type Upstream } from './upstream.js';
import { attendantOf, UpstreamCall } from './upstream-call.js';
import { LinkError, SessionGoneError } from './upstream-errors.js';
import type { LinkRequest } from './upstream-link.js';
import { UpstreamSet, type UpstreamSetOptions } from './upstream-set.js';

export type { PlaceFinder } from './place-keys.js';

export interface HubOptions extends SignInSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs the programs. Default: they have the rights of this process. */
  readonly sandbox?: () => Sandbox | undefined;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
  /** Called when the items of an upstream server arrive or change. */
  readonly onItems: () => void;
  /** Announces changes of resources. */
  readonly announce: (change: ServerEvent) => void;
  /** Sends a message of an upstream server to the clients. */
  readonly tell: (message: ServerMessage) => void;
  /** Answers upstream servers that ask for roots outside any call. */
  readonly roots: ClientRoots;
  readonly patience?: HubWaitLimits | undefined;
  readonly pace?: RetryPolicy;
  /** True if the process makes one call only, so that no retry is announced. Default: false. */
  readonly isOnce?: boolean;
  readonly keeping?: SuspendedCallsOptions;
  /** Records of earlier starts. Default: none. */
  readonly records?: UpstreamRecords | undefined;
  /** Runs functions of definitions that return endpoints. Default: this process. */
  readonly places?: PlaceFinder | undefined;
}

/** Longest waits of a list, or of a request for an unknown item, in milliseconds. */
export interface HubWaitLimits {
  readonly waitMs: number;
  /** Limit for upstream servers that failed before. */
  readonly waitAgainMs?: number;
}

/** Some clients give up on a list after 30 seconds. */
const defaultHubWaitLimits = { waitMs: 25_000, waitAgainMs: 5000 };

/** The upstream servers of a server. They start on first use and answer requests in place of handlers. */
export class UpstreamHub implements UpstreamSource {
  readonly #options: HubOptions;
  readonly #patience: Required<HubWaitLimits>;
  readonly #keys: PlaceKeys;
  readonly #upstreams: UpstreamSet;
  readonly #kept: SuspendedCalls;
  readonly #interests: ClientInterests;
  #entries: readonly UpstreamEntry[] = [];
  #closing: Promise<void> | undefined;
  readonly #unsubscribe: () => void;
  /** End of the wait for an upstream server, in `performance.now()` time. */
  readonly #waitUntil = new WeakMap<Upstream, number>();

  constructor(options: HubOptions) {
    this.#options = options;
    this.#patience = { ...defaultHubWaitLimits, ...options.patience };
    this.#kept = new SuspendedCalls(options.keeping);
    this.#keys = new PlaceKeys(options.places);
    this.#interests = new ClientInterests(options, (spec) => this.#upstreams.of(spec));
    this.#upstreams = new UpstreamSet({ keys: this.#keys, create: (spec) => this.#optionsFor(spec) });
    // Each opening connection listens to it.
    setMaxListeners(0, options.signal);
    options.signal.addEventListener('abort', () => void this.close(), { once: true });
    this.#unsubscribe = options.roots.onChange(() => {
      for (const upstream of this.#upstreams.all) upstream.tellRoots();
    });
  }

  #optionsFor(spec: UpstreamSpec): ReturnType<UpstreamSetOptions['create']> {
    const {
      env,
      signal,
      pace = defaultPace,
      isOnce = false,
      onItems,
      signIns,
      signIn,
      sandbox,
    } = this.#options;
    return {
      signIns,
      signIn,
      env,
      sandbox: sandbox?.(),
      signal,
      pace,
      isOnce,
      report: (line) => reportOnce(this.#options, line),
      roots: async () => await this.#options.roots.list(signal),
      events: { ...this.#interests.eventsOf(spec), onItems },
      logLevel: () => this.#interests.lowestLevel,
    };
  }

  /** Returns the server with the known items of its upstream servers. */
  extend<S extends Servable>(server: S): S {
    this.#entries = server.upstreams;
    this.#upstreams.retain(server);
    if (this.#entries.length === 0) return server;
    const { items, faults } = takeItems(server, ({ upstream }) => this.#upstreams.of(upstream).listing);
    for (const { entry, problem } of faults) {
      const { name } = entry.upstream;
      reportOnce(this.#options, withFullStop(`The upstream server "${name}" ${problem}`));
    }
    const extended = withUpstreamItems(server, new Map([...this.#recorded(), ...items]));
    this.#interests.serve(extended.registry);
    return extended;
  }

  /**
   * Starts the upstream servers of a server before `take` serves it. The others close after their open calls.
   * @throws ToolError with the reason if one does not start
   */
  async admit({ upstreams }: Servable, take: () => Promise<void>): Promise<void> {
    const specs = upstreams.map(({ upstream }) => upstream);
    await this.#keys.identify(specs);
    await this.#upstreams.admit(specs, take);
  }

  /** Instructions of upstream servers that have not started yet, from their last start. Records the others. */
  #recorded(): readonly (readonly [UpstreamEntry, UpstreamItems])[] {
    const { records } = this.#options;
    if (!records) return [];
    return this.#entries.flatMap((entry) => {
      const key = this.#keys.keyOf(entry.upstream);
      const { listing } = this.#upstreams.of(entry.upstream);
      const present = listing && recordOf(listing);
      if (present) void records.write(key, present);
      const record = listing ? undefined : records.read(key);
      if (!record) return [];
      const { title, info, instructions: text } = record;
      const said = { ...(info && { info }), ...(text !== undefined && { instructions: { title, text } }) };
      return [[entry, { tools: [], prompts: [], resources: [], ...said }] as const];
    });
  }

  /** Known items of each entry of the server; null if not known yet. */
  get lists(): readonly (UpstreamListing | null)[] {
    return this.#entries.map(({ upstream }) => this.#upstreams.of(upstream).listing ?? null);
  }

  /** Upstream servers with entries for a kind of items. */
  #listed(kind: ServedKind): readonly Upstream[] {
    const entries = this.#entries.filter((entry) => takesKind(entry, kind));
    return [...new Set(entries.map(({ upstream }) => this.#upstreams.of(upstream)))];
  }

  /** True if an upstream server may have prompts or resources. A server with entries declares tools anyway. */
  isPending(kind: PendingKind): boolean {
    if (kind === 'skills') return this.#entries.some((entry) => this.#mayHaveSkills(entry));
    if (kind !== 'prompts' && kind !== 'resources') return false;
    return this.#listed(kind).some(({ listing }) => listing?.offers[kind] ?? true);
  }

  /** True if an upstream server has skills, now or at its last start. */
  #mayHaveSkills(entry: UpstreamEntry): boolean {
    if (!entry.resources) return false;
    const { listing } = this.#upstreams.of(entry.upstream);
    if (listing) return listing.offers.skills === true;
    return this.#options.records?.read(this.#keys.keyOf(entry.upstream))?.hasSkills ?? false;
  }

  async wait(pending: PendingKind, purpose: WaitPurpose, signal: AbortSignal): Promise<void> {
    const kind = pending === 'skills' ? 'resources' : pending;
    await this.#keys.identify(this.#entries.map(({ upstream }) => upstream));
    // Apps may be chosen by names, which only the resources have.
    const choosers = kind === 'tools' ? this.#entries.filter(choosesApps) : [];
    const more = choosers.map(async ({ upstream }) => {
      await this.#waitFor(this.#upstreams.of(upstream), 'resources', purpose, signal);
    });
    await Promise.all([
      ...this.#listed(kind).map(async (upstream) => await this.#waitFor(upstream, kind, purpose, signal)),
      ...more,
    ]);
  }

  /** Waits until a list is known, within its limit. Never rejects: a failure is reported to stderr. */
  async #waitFor(
    upstream: Upstream,
    kind: ServedKind,
    purpose: WaitPurpose,
    signal: AbortSignal,
  ): Promise<void> {
    const isThere = upstream.isUp && upstream.hasListed(kind);
    if (isThere || !(upstream.isUp || upstream.mayStart)) return;
    const { waitMs, waitAgainMs } = this.#patience;
    const isWhole = purpose === 'whole';
    const patience = upstream.hasFailed && !isWhole ? Math.min(waitMs, waitAgainMs) : waitMs;
    const started = isWhole ? undefined : this.#waitUntil.get(upstream);
    const until = started ?? performance.now() + patience;
    this.#waitUntil.set(upstream, until);
    const opened = upstream
      .listed(kind)
      .catch(() => upstream.tellAbsence())
      .finally(() => this.#waitUntil.delete(upstream));
    await waitAtMost(opened, until - performance.now(), signal);
    if (!signal.aborted) upstream.tellDelay(patience);
  }

  reasons(kind: ServedKind): readonly string[] {
    return this.#listed(kind).flatMap((upstream) => upstream.absence ?? []);
  }

  async call(what: ToolUpstream, args: unknown, ctx: Context): Promise<ToolResult> {
    return (await this.#attend(ctx, (who) => this.begin(what, args, who))) as unknown as ToolResult;
  }

  async request(spec: UpstreamSpec, request: UpstreamRequest, ctx: Context): Promise<JsonObject> {
    const { uri } = request.params;
    const read = async (result: JsonObject) => {
      const skills = this.#upstreams.of(spec).listing?.skills;
      if (request.method !== 'resources/read' || !skills) return result;
      const { verifySkillFile } = await import('./verify-skill-file.js');
      return await verifySkillFile(result, { uri: String(uri), skills, server: spec.name });
    };
    return await this.#attend(ctx, (who) => this.#begin(spec, { asked: () => request, read }, who));
  }

  async #attend(ctx: Context, begin: (who: RequesterInfo | undefined) => UpstreamCall): Promise<JsonObject> {
    const who = (ctx as { readonly [asker]?: RequesterInfo })[asker];
    const attendant = attendantOf(ctx);
    if (!who?.endsToAsk) return await begin(who).attend(attendant);
    const keep = async (call: UpstreamCall) => void (await ctx.step('upstream', () => this.keep(call)));
    if (!who.isRetry) return await begin(who).attend(attendant, keep);
    // A retry: the call is in progress, unless the input request came from something else.
    const call = this.kept(await ctx.step('upstream', () => this.keep(begin(who))));
    return await call.attend(attendant);
  }

  /** Keeps a call until its client retries, and returns its id. @throws ToolError if too many calls are kept */
  keep(call: UpstreamCall): string {
    return this.#kept.keep(call);
  }

  /** Returns a kept call. @throws ToolError if the call is over */
  kept(id: string): UpstreamCall {
    return this.#kept.find(id);
  }

  /** Begins the call of a tool. */
  begin(what: ToolUpstream, args: unknown, who: RequesterInfo | undefined): UpstreamCall {
    const { upstream: spec, tool, isTask = false, uris } = what;
    const params = { name: tool, arguments: isRecord(args) ? args : {} };
    const asked = (upstream: Upstream): LinkRequest => ({
      method: 'tools/call',
      params,
      inputSchema: upstream.schemaOf(tool),
      isTask,
    });
    const read = (result: JsonObject) => withOwnUris({ ...checkToolResult(result, spec.name, what) }, uris);
    return this.#begin(spec, { asked, read }, who);
  }

  #begin(
    spec: UpstreamSpec,
    work: {
      readonly asked: (upstream: Upstream) => LinkRequest;
      readonly read?: (result: JsonObject) => JsonObject | Promise<JsonObject>;
    },
    who: RequesterInfo | undefined,
  ): UpstreamCall {
    const call = new UpstreamCall(who);
    const { asked, read = (result) => result } = work;
    const answer = async () => {
      await this.#keys.identify([spec]);
      const request = asked(this.#upstreams.of(spec));
      const by = { user: who?.user ?? localUser, signal: call.signal };
      return await this.#upstreams.run(spec, by, (one) => askUpstream(one, request, call));
    };
    call.begin(answer().then(read));
    return call;
  }

  /** Upstream servers that may have a resource that no list shows. */
  readersOf(uri: string): readonly UpstreamSpec[] {
    const entries = this.#entries.filter((entry) => canReadUnlisted(entry, uri));
    const offering = entries.filter(
      ({ upstream }) => this.#upstreams.of(upstream).listing?.offers.resources ?? false,
    );
    return [...new Map(offering.map(({ upstream }) => [this.#keys.keyOf(upstream), upstream])).values()];
  }

  /** Subscribes to changes of a resource. Returns the function that unsubscribes. */
  subscribe(uri: string): () => void {
    return this.#interests.subscribe(uri);
  }

  setLogLevel(client: object, level: string): void {
    this.#interests.setLogLevel(client, level);
    const lowest = this.#interests.lowestLevel ?? level;
    for (const upstream of this.#upstreams.all) upstream.setLogLevel(lowest);
  }

  forget(client: object): void {
    this.#interests.forget(client);
    this.#upstreams.forget(client);
  }

  /** Closes every upstream server. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#unsubscribe();
    this.#kept.cancelAll(new Error('the server is closing'));
    this.#recorded();
    await this.#options.records?.flush();
    await this.#upstreams.close();
  }
}

function choosesApps({ apps }: UpstreamEntry): boolean {
  return apps !== undefined && (apps.only !== undefined || apps.except.length > 0);
}

/** Apps are resources, and arrive with them. */
function takesKind({ prompts, resources, apps }: UpstreamEntry, kind: ServedKind): boolean {
  if (kind === 'prompts') return prompts !== undefined;
  return kind === 'tools' || resources !== undefined || apps !== undefined;
}

/** Sends a request to an upstream server. @throws ToolError, ProtocolError */
async function askUpstream(
  upstream: Upstream,
  request: LinkRequest,
  call: UpstreamCall,
): Promise<JsonObject> {
  const { name } = upstream;
  const ask = async () => requireResult(await (await upstream.open()).call(request, call), name);
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SessionGoneError) {
      // The request was not executed: repeat it in a new session.
      upstream.retryAtOnce();
      return await ask();
    }
    if (!(error instanceof LinkError)) throw error;
    throw new ToolError(
      withFullStop(`The upstream server "${name}" failed in the middle of the call: ${error.message}`),
      { cause: error },
    );
  }
}
