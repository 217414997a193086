import { waitAtMost } from '../base/wait.js';
import { isBlock } from '../extension/content-block.js';
import type { ClientRoots } from '../live/client-roots.js';
import { asker, type RequesterInfo } from '../live/connection.js';
import type { UpstreamSource } from '../live/live-server.js';
import { isObject } from '../protocol/envelope.js';
import type { Servable } from '../runtime/compose-server.js';
import { describeMalformed, isContentBlock } from '../runtime/content-block.js';
import type { Context } from '../runtime/context.js';
import type { PendingKind } from '../runtime/missing-packages.js';
import { type ContentBlock, ToolError, type ToolResult } from '../runtime/result-builders.js';
import type { ServedKind } from '../runtime/served-kind.js';
import { reportOnce } from '../runtime/server-runtime.js';
import type { ToolSpec } from '../runtime/specs.js';
import { withoutUi } from '../runtime/ui.js';
import type { GivenPlace, ToolUpstream, UpstreamEntry, UpstreamSpec } from '../runtime/upstream.js';
import { withUpstreamTools } from '../runtime/upstream-tools.js';
import { withFullStop } from './error-text.js';
import { takeTools } from './select-tools.js';
import { SuspendedCalls, type SuspendedCallsOptions } from './suspended-calls.js';
import { defaultPace, type RetryPolicy, Upstream } from './upstream.js';
import { attendantOf, UpstreamCall } from './upstream-call.js';
import { LinkError, SessionGoneError } from './upstream-errors.js';
import type { UpstreamLink } from './upstream-link.js';

export interface HubOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Aborts when nobody is served any more. */
  readonly signal: AbortSignal;
  /** Called when tools of upstream servers arrive or change. */
  readonly onTools: () => void;
  /** Answers upstream servers that ask for roots outside any call. */
  readonly roots: ClientRoots;
  readonly patience?: HubWaitLimits | undefined;
  readonly pace?: RetryPolicy;
  /** Whether all ends with one call, after which nothing is tried again. */
  readonly isOnce?: boolean;
  readonly keeping?: SuspendedCallsOptions;
  /** Runs functions of definitions that find places; absent: this process does. */
  readonly places?: PlaceFinder | undefined;
}

/** Runs functions that find places, by the ids of {@link GivenPlace}. */
export interface PlaceFinder {
  /** The key by which the process that runs a function knows its upstream server. */
  placeKey(id: string): Promise<string>;
  /** The return value of a function. @throws ToolError with the reason for the model */
  place(given: GivenPlace): Promise<unknown>;
}

/** How long a list, or who asks for something that is not known, is kept waiting. */
export interface HubWaitLimits {
  readonly waitMs: number;
  /** The same for upstream servers that failed before. */
  readonly waitAgainMs?: number;
}

/** @see MCP 2026-07-28, basic, "Response metadata" */
const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/** Longest run of a call of an upstream server that the server no longer has, in milliseconds. */
const retireMs = 60_000;

/** Impatient clients give up on a list after 30 seconds. */
const defaultHubWaitLimits = { waitMs: 25_000, waitAgainMs: 5000 };

/** The upstream servers of a server: started when they are used, and asked in place of handlers. */
export class UpstreamHub implements UpstreamSource {
  readonly #options: HubOptions;
  readonly #patience: Required<HubWaitLimits>;
  readonly #upstreams = new Map<string, Upstream>();
  /** Calls under way, by upstream server. */
  readonly #busy = new Map<Upstream, number>();
  /** Upstream servers that end after their calls. */
  readonly #retired = new Set<Upstream>();
  readonly #kept: SuspendedCalls;
  /** Keys of upstream servers that one function finds for several definitions, by the keys of their specs. */
  readonly #sharedKeys = new Map<string, string>();
  #entries: readonly UpstreamEntry[] = [];
  #closing: Promise<void> | undefined;
  readonly #unsubscribe: () => void;
  /** Until when lists wait for an upstream server, by the clock of `performance`. */
  readonly #waitUntil = new WeakMap<Upstream, number>();

  constructor(options: HubOptions) {
    this.#options = options;
    this.#patience = { ...defaultHubWaitLimits, ...options.patience };
    this.#kept = new SuspendedCalls(options.keeping);
    options.signal.addEventListener('abort', () => void this.close(), { once: true });
    this.#unsubscribe = options.roots.onChange(() => this.#tellRoots());
  }

  /** A server with the tools that are known of its upstream servers, each where its entry stands. */
  extend<S extends Servable>(server: S): S {
    this.#entries = server.upstreams;
    this.#retain(server);
    if (this.#entries.length === 0) return server;
    return withUpstreamTools(server, new Map(this.#entries.map((entry) => [entry, this.#toolsOf(entry)])));
  }

  /** Ends upstream servers that the server no longer has, after their calls. */
  #retain({ registry, upstreams }: Servable): void {
    const own = registry.all('tools').flatMap(({ upstream }) => (upstream ? [upstream.upstream] : []));
    const specs = [...own, ...upstreams.map(({ upstream }) => upstream)];
    // The first definition of a place counts, as when it is opened.
    const used = new Map(specs.reverse().map((spec) => [this.#sharedKeys.get(spec.key) ?? spec.key, spec]));
    for (const [key, upstream] of this.#upstreams) {
      const spec = used.get(key);
      if (spec) {
        upstream.renew(this.#found(spec));
        continue;
      }
      this.#upstreams.delete(key);
      this.#retired.add(upstream);
      if (!this.#busy.has(upstream)) this.#end(upstream);
      else setTimeout(() => this.#end(upstream), retireMs).unref();
    }
  }

  #end(upstream: Upstream): void {
    if (this.#retired.delete(upstream)) void upstream.close();
  }

  /** Counts a call of an upstream server until it is over. */
  async #counted<T>(upstream: Upstream, work: () => Promise<T>): Promise<T> {
    this.#busy.set(upstream, (this.#busy.get(upstream) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = this.#busy.get(upstream)! - 1;
      if (left > 0) this.#busy.set(upstream, left);
      else {
        this.#busy.delete(upstream);
        this.#end(upstream);
      }
    }
  }

  #toolsOf(entry: UpstreamEntry): readonly ToolSpec[] {
    const upstream = this.#upstreamOf(entry.upstream);
    if (!upstream.tools) return [];
    const { tools, faults } = takeTools(entry, upstream.tools);
    for (const fault of faults) {
      reportOnce(this.#options, withFullStop(`The upstream server "${upstream.name}" ${fault}`));
    }
    return tools;
  }

  #upstreamOf(spec: UpstreamSpec): Upstream {
    const key = this.#sharedKeys.get(spec.key) ?? spec.key;
    const known = this.#upstreams.get(key);
    if (known) return known;
    const { env, signal, pace = defaultPace, isOnce = false, onTools } = this.#options;
    const report = (line: string) => reportOnce(this.#options, line);
    const roots = async () => await this.#options.roots.list(signal);
    const upstream = new Upstream({
      spec: this.#found(spec),
      env,
      signal,
      pace,
      isOnce,
      report,
      roots,
      onTools,
    });
    this.#upstreams.set(key, upstream);
    return upstream;
  }

  /** A spec whose place is found where its function can run. */
  #found(spec: UpstreamSpec): UpstreamSpec {
    const { places } = this.#options;
    const { given } = spec;
    if (!places || !given) return spec;
    return { ...spec, place: async () => await given.read(await places.place(given)) };
  }

  /** Learns which specs mean one upstream server although their functions are out of reach. */
  async #identify(specs: readonly UpstreamSpec[]): Promise<void> {
    const { places } = this.#options;
    if (!places) return;
    const unknown = specs.filter(({ key, given }) => given?.isFunction && !this.#sharedKeys.has(key));
    await Promise.all(
      unknown.map(async ({ key, given }) => {
        // The use of the place reports the failure.
        const shared = await places.placeKey(given!.id).catch(() => undefined);
        if (shared !== undefined) this.#sharedKeys.set(key, shared);
      }),
    );
  }

  async #identifyListed(): Promise<void> {
    await this.#identify(this.#entries.map(({ upstream }) => upstream));
  }

  /** The tools that upstream servers list, by the entries of the server; null: not known yet. */
  get lists(): readonly (readonly unknown[] | null)[] {
    return this.#entries.map(({ upstream }) => this.#upstreamOf(upstream).tools ?? null);
  }

  #tellRoots(): void {
    for (const upstream of this.#upstreams.values()) upstream.tellRoots();
  }

  /** Those whose tools are listed. */
  get #listed(): readonly Upstream[] {
    return [...new Set(this.#entries.map(({ upstream }) => this.#upstreamOf(upstream)))];
  }

  /** False: servers with upstream servers promise tools in any case. */
  isPending(): boolean {
    return false;
  }

  async wait(kind: PendingKind, _purpose: 'list' | 'item', signal: AbortSignal): Promise<void> {
    if (kind !== 'tools') return;
    await this.#identifyListed();
    await Promise.all(this.#listed.map((upstream) => this.#waitFor(upstream, signal)));
  }

  /** Waits for an upstream server to be there, as long as that may take; nobody is told if it is not. */
  async #waitFor(upstream: Upstream, signal: AbortSignal): Promise<void> {
    if (upstream.isUp || !upstream.mayStart) return;
    const { waitMs, waitAgainMs } = this.#patience;
    const patience = upstream.hasFailed ? Math.min(waitMs, waitAgainMs) : waitMs;
    const started = this.#waitUntil.get(upstream);
    const until = started ?? performance.now() + patience;
    this.#waitUntil.set(upstream, until);
    const opened = upstream
      .open()
      .catch(() => upstream.tellAbsence())
      .finally(() => this.#waitUntil.delete(upstream));
    await waitAtMost(opened, until - performance.now(), signal);
    if (!signal.aborted) upstream.tellDelay(patience);
  }

  reasons(kind: ServedKind): readonly string[] {
    if (kind !== 'tools') return [];
    return this.#listed.flatMap((upstream) => upstream.absence ?? []);
  }

  async call(what: ToolUpstream, args: unknown, ctx: Context): Promise<ToolResult> {
    const who = (ctx as { readonly [asker]?: RequesterInfo })[asker];
    const attendant = attendantOf(ctx);
    if (!who?.endsToAsk) return await this.begin(what, args, who).attend(attendant);
    const keep = async (call: UpstreamCall) => void (await ctx.step('upstream', () => this.keep(call)));
    if (!who.isRetry) return await this.begin(what, args, who).attend(attendant, keep);
    // A run that may not be the first: the call is under way, unless it was something else that was asked.
    const begin = () => this.keep(this.begin(what, args, who));
    const call = this.kept(await ctx.step('upstream', begin));
    return await call.attend(attendant);
  }

  /** Keeps a call until its client comes back, and gives the id by which it is found then. @throws ToolError */
  keep(call: UpstreamCall): string {
    return this.#kept.keep(call);
  }

  /** A call that is kept. @throws ToolError if it is over */
  kept(id: string): UpstreamCall {
    return this.#kept.find(id);
  }

  begin(what: ToolUpstream, args: unknown, who: RequesterInfo | undefined): UpstreamCall {
    const call = new UpstreamCall(who);
    call.begin(this.#result(what, args, call));
    return call;
  }

  async #result(
    { upstream: spec, tool }: ToolUpstream,
    args: unknown,
    call: UpstreamCall,
  ): Promise<ToolResult> {
    await this.#identify([spec]);
    const upstream = this.#upstreamOf(spec);
    const asked = { tool, args: isObject(args) ? args : {}, inputSchema: upstream.schemaOf(tool) };
    return await this.#counted(upstream, async () => await this.#ask(upstream, asked, call));
  }

  async #ask(
    upstream: Upstream,
    asked: Parameters<UpstreamLink['call']>[0],
    call: UpstreamCall,
  ): Promise<ToolResult> {
    const { name } = upstream;
    try {
      const link = await upstream.open();
      return checkUpstreamResult(await link.call(asked, call), name);
    } catch (error) {
      if (error instanceof SessionGoneError) {
        // Nothing was done, and a new session is all it takes.
        upstream.retryAtOnce();
        const link = await upstream.open();
        return checkUpstreamResult(await link.call(asked, call), name);
      }
      if (!(error instanceof LinkError)) throw error;
      throw new ToolError(
        withFullStop(`The upstream server "${name}" failed in the middle of the call: ${error.message}`),
        { cause: error },
      );
    }
  }

  /** Ends every upstream server. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#unsubscribe();
    this.#kept.cancelAll(new Error('nobody is served any more'));
    const all = [...this.#upstreams.values(), ...this.#retired];
    await Promise.all(all.map(async (upstream) => await upstream.close()));
  }
}

/** What an upstream server answered, as it is. @throws ToolError for what is no result */
function checkUpstreamResult(answer: unknown, name: string): ToolResult {
  const refuse = (what: string) =>
    new ToolError(withFullStop(`The upstream server "${name}" answers with what is no result: ${what}`));
  if (!isObject(answer)) throw refuse('no object');
  const { content, structuredContent, isError, _meta } = answer;
  if (!Array.isArray(content)) throw refuse('it has no list of content');
  const bad = content.find((block) => !isContentBlock(block)) as unknown;
  if (bad !== undefined)
    throw refuse(isBlock(bad) ? describeMalformed(bad as ContentBlock) : 'a block without a type');
  // Who answered is told of ourselves.
  const { [serverInfoKey]: _, ...meta } = isObject(_meta) ? withoutUi(_meta) : {};
  return {
    content: content as ContentBlock[],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}
