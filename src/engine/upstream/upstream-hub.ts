import { isRecord } from '../base/value-checks.js';
import { waitAtMost } from '../base/wait.js';
import { isBlock } from '../extension/content-block.js';
import type { ClientRoots } from '../live/client-roots.js';
import { asker, type RequesterInfo } from '../live/connection.js';
import type { UpstreamSource } from '../live/live-server.js';
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
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
  /** Called when the tools of an upstream server arrive or change. */
  readonly onTools: () => void;
  /** Answers upstream servers that ask for roots outside any call. */
  readonly roots: ClientRoots;
  readonly patience?: HubWaitLimits | undefined;
  readonly pace?: RetryPolicy;
  /** True if the process makes one call only, so that no retry is announced. Default: false. */
  readonly isOnce?: boolean;
  readonly keeping?: SuspendedCallsOptions;
  /** Runs functions of definitions that return endpoints. Default: this process. */
  readonly places?: PlaceFinder | undefined;
}

/** Runs functions that return endpoints, by the ids of {@link GivenPlace}. */
export interface PlaceFinder {
  /** Key of the upstream server in the process that runs the function. */
  placeKey(id: string): Promise<string>;
  /** The return value of a function. @throws ToolError with the reason for the model */
  place(given: GivenPlace): Promise<unknown>;
}

/** Longest waits of a list, or of a request for an unknown item, in milliseconds. */
export interface HubWaitLimits {
  readonly waitMs: number;
  /** Limit for upstream servers that failed before. */
  readonly waitAgainMs?: number;
}

/** @see MCP 2026-07-28, basic, "Response metadata" */
const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/** Longest run of calls to an upstream server that was removed, in milliseconds. */
const retireMs = 60_000;

/** Some clients give up on a list after 30 seconds. */
const defaultHubWaitLimits = { waitMs: 25_000, waitAgainMs: 5000 };

/** The upstream servers of a server. They start on first use and answer calls in place of handlers. */
export class UpstreamHub implements UpstreamSource {
  readonly #options: HubOptions;
  readonly #patience: Required<HubWaitLimits>;
  readonly #upstreams = new Map<string, Upstream>();
  /** Number of open calls, by upstream server. */
  readonly #busy = new Map<Upstream, number>();
  /** Removed upstream servers that close after their open calls. */
  readonly #retired = new Set<Upstream>();
  readonly #kept: SuspendedCalls;
  /** Keys of upstream servers that several definitions share through one function, by the keys of their specs. */
  readonly #sharedKeys = new Map<string, string>();
  #entries: readonly UpstreamEntry[] = [];
  #closing: Promise<void> | undefined;
  readonly #unsubscribe: () => void;
  /** End of the wait for an upstream server, in `performance.now()` time. */
  readonly #waitUntil = new WeakMap<Upstream, number>();

  constructor(options: HubOptions) {
    this.#options = options;
    this.#patience = { ...defaultHubWaitLimits, ...options.patience };
    this.#kept = new SuspendedCalls(options.keeping);
    options.signal.addEventListener('abort', () => void this.close(), { once: true });
    this.#unsubscribe = options.roots.onChange(() => this.#tellRoots());
  }

  /** Returns the server with the known tools of its upstream servers, each at the position of its entry. */
  extend<S extends Servable>(server: S): S {
    this.#entries = server.upstreams;
    this.#retain(server);
    if (this.#entries.length === 0) return server;
    return withUpstreamTools(server, new Map(this.#entries.map((entry) => [entry, this.#toolsOf(entry)])));
  }

  /** Closes upstream servers that the server no longer has, after their open calls. */
  #retain({ registry, upstreams }: Servable): void {
    const own = registry.all('tools').flatMap(({ upstream }) => (upstream ? [upstream.upstream] : []));
    const specs = [...own, ...upstreams.map(({ upstream }) => upstream)];
    // The first definition of an endpoint wins, as in `#upstreamOf`.
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

  /** Runs a call, and counts it as open until it ends. */
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

  /** Returns the spec with its endpoint function run by `places`. */
  #found(spec: UpstreamSpec): UpstreamSpec {
    const { places } = this.#options;
    const { given } = spec;
    if (!places || !given) return spec;
    return { ...spec, place: async () => await given.read(await places.place(given)) };
  }

  /** Finds specs that share an upstream server through functions of another process. */
  async #identify(specs: readonly UpstreamSpec[]): Promise<void> {
    const { places } = this.#options;
    if (!places) return;
    const unknown = specs.filter(({ key, given }) => given?.isFunction && !this.#sharedKeys.has(key));
    await Promise.all(
      unknown.map(async ({ key, given }) => {
        // A failure is reported when the endpoint is used.
        const shared = await places.placeKey(given!.id).catch(() => undefined);
        if (shared !== undefined) this.#sharedKeys.set(key, shared);
      }),
    );
  }

  async #identifyListed(): Promise<void> {
    await this.#identify(this.#entries.map(({ upstream }) => upstream));
  }

  /** Listed tools of each entry of the server; null if not known yet. */
  get lists(): readonly (readonly unknown[] | null)[] {
    return this.#entries.map(({ upstream }) => this.#upstreamOf(upstream).tools ?? null);
  }

  #tellRoots(): void {
    for (const upstream of this.#upstreams.values()) upstream.tellRoots();
  }

  /** Upstream servers with entries of the server. */
  get #listed(): readonly Upstream[] {
    return [...new Set(this.#entries.map(({ upstream }) => this.#upstreamOf(upstream)))];
  }

  /** Always false: a server with upstream servers declares the tools capability anyway. */
  isPending(): boolean {
    return false;
  }

  async wait(kind: PendingKind, _purpose: 'list' | 'item', signal: AbortSignal): Promise<void> {
    if (kind !== 'tools') return;
    await this.#identifyListed();
    await Promise.all(this.#listed.map((upstream) => this.#waitFor(upstream, signal)));
  }

  /** Waits until an upstream server is up, within its limit. Never rejects: a failure is reported to stderr. */
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
    // A retry: the call is in progress, unless the input request came from something else.
    const begin = () => this.keep(this.begin(what, args, who));
    const call = this.kept(await ctx.step('upstream', begin));
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
    const asked = { tool, args: isRecord(args) ? args : {}, inputSchema: upstream.schemaOf(tool) };
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
        // The request was not executed: repeat it in a new session.
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

  /** Closes every upstream server. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#unsubscribe();
    this.#kept.cancelAll(new Error('the server is closing'));
    const all = [...this.#upstreams.values(), ...this.#retired];
    await Promise.all(all.map(async (upstream) => await upstream.close()));
  }
}

/** Returns the result of an upstream server without UI metadata and server info. @throws ToolError if malformed */
function checkUpstreamResult(answer: unknown, name: string): ToolResult {
  const refuse = (what: string) =>
    new ToolError(withFullStop(`The upstream server "${name}" answers with what is no result: ${what}`));
  if (!isRecord(answer)) throw refuse('no object');
  const { content, structuredContent, isError, _meta } = answer;
  if (!Array.isArray(content)) throw refuse('it has no list of content');
  const bad = content.find((block) => !isContentBlock(block)) as unknown;
  if (bad !== undefined)
    throw refuse(isBlock(bad) ? describeMalformed(bad as ContentBlock) : 'a block without a type');
  // AgentTools sends its own server info.
  const { [serverInfoKey]: _, ...meta } = isRecord(_meta) ? withoutUi(_meta) : {};
  return {
    content: content as ContentBlock[],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}
