import { errorMessage } from '../base/thrown-value.js';
import { type MissingToolsReason, upstreamAbsent } from '../live/list-faults.js';
import { isObject } from '../protocol/envelope.js';
import { brands, isBranded } from '../runtime/authoring-symbols.js';
import type { Root } from '../runtime/context.js';
import { ToolError } from '../runtime/result-builders.js';
import type { UpstreamEndpoint, UpstreamSpec } from '../runtime/upstream.js';
import type { KnownEra } from './era-negotiation.js';
import { createQuote, type Quote, secondsWords, withFullStop } from './error-text.js';
import { childEnvironment } from './program-transport.js';
import { LinkError, SpawnError } from './upstream-errors.js';
import { UpstreamLink } from './upstream-link.js';

/** How long things may take, and when they are tried again. */
export interface RetryPolicy {
  /** How soon a server is started again that failed once; twice that after the second time, and so on. */
  readonly backoffMs: number;
  readonly longestBackoffMs: number;
  /** How long a server must have run for its earlier failures to be forgotten. */
  readonly steadyMs: number;
  /** How long changes of a list are gathered before it is read again. */
  readonly gatherMs: number;
}

export const defaultPace: RetryPolicy = {
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  steadyMs: 10_000,
  gatherMs: 100,
};

export interface UpstreamOptions {
  readonly spec: UpstreamSpec;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when nobody is served any more. */
  readonly signal: AbortSignal;
  readonly pace: RetryPolicy;
  /** Whether nobody will ask again. */
  readonly isOnce: boolean;
  /** Takes one line for stderr; the same line is told once. */
  readonly report: (line: string) => void;
  /** Where clients work, for what it asks outside any call. */
  readonly roots: () => Promise<readonly Root[]>;
  /** Told when its tools have come, or are others. */
  readonly onTools: () => void;
}

/** Says in a program's environment how many upstream servers it stands behind. */
const depthVariable = 'AGENTTOOLS_UPSTREAM_DEPTH';

/** How many upstream servers may stand behind each other: enough for servers made of servers, and soon over for one that starts itself. */
const deepest = 3;

/** One upstream server: started when it is used, and again when it has ended. */
export class Upstream {
  readonly #options: UpstreamOptions;
  #spec: UpstreamSpec;
  #link: UpstreamLink | undefined;
  #starting: Promise<UpstreamLink> | undefined;
  #era: KnownEra;
  #tools: readonly unknown[] | undefined;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  #upSince = 0;
  /** Why it is not there: the end of a sentence. */
  #reason: string | undefined;
  /** What is said of it before that. */
  #state: MissingToolsReason = 'is unavailable';
  #gathering: NodeJS.Timeout | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#spec = options.spec;
  }

  /** Takes the spec of a newer definition, for the next start. */
  renew(spec: UpstreamSpec): void {
    this.#spec = spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  /** The tools it was last known to have; undefined: nobody has asked it yet. */
  get tools(): readonly unknown[] | undefined {
    return this.#tools;
  }

  /** What it says of the arguments of a tool. */
  schemaOf(name: string): unknown {
    const tool = this.#tools?.find((one) => isObject(one) && one.name === name);
    return isObject(tool) ? tool.inputSchema : undefined;
  }

  get isUp(): boolean {
    return this.#link !== undefined && !this.#link.isOver;
  }

  /** Whether it failed when it was last used. */
  get hasFailed(): boolean {
    return this.#reason !== undefined;
  }

  /** How long it is not to be started again. */
  get #backoffMs(): number {
    return this.#retryAt - performance.now();
  }

  /** Whether starting it is worth a try now. */
  get mayStart(): boolean {
    return this.#starting !== undefined || this.#backoffMs <= 0;
  }

  /** Why it is not there, as a sentence; undefined if it is. */
  get absence(): string | undefined {
    if (this.isUp) return undefined;
    if (this.#starting) return `The upstream server "${this.name}" is still starting; try again in a moment.`;
    if (this.#reason === undefined) return undefined;
    return this.#away(this.#reason);
  }

  /** Tells why it is not there whoever reads stderr. Whoever called it is told anyway. */
  tellAbsence(): void {
    const { signal, report } = this.#options;
    if (this.#reason === undefined || signal.aborted) return;
    report(withFullStop(upstreamAbsent(this.name, this.#state) + this.#reason));
  }

  /** Tells that it is waited for no longer, if it still starts. */
  tellDelay(waitedMs: number): void {
    const { signal, report } = this.#options;
    if (!this.#starting || signal.aborted || waitedMs <= 0) return;
    const delay = `it is still starting after ${secondsWords(waitedMs)}, and lists go on without it.`;
    report(upstreamAbsent(this.name, 'is not available yet') + delay);
  }

  #away(reason: string): string {
    const isTriedAgain = this.#backoffMs > 0 && !this.#options.isOnce;
    const again = isTriedAgain ? ` It is tried again in ${secondsWords(this.#backoffMs)}.` : '';
    return `${withFullStop(upstreamAbsent(this.name, this.#state) + reason)}${again}`;
  }

  /** The connection to it; it is started if need be. @throws ToolError with why there is none */
  async open(): Promise<UpstreamLink> {
    if (this.#link && !this.#link.isOver) return this.#link;
    if (this.#starting) return await this.#starting;
    if (this.#backoffMs > 0) throw new ToolError(this.#away(this.#reason!));
    this.#starting = this.#start();
    try {
      return await this.#starting;
    } finally {
      this.#starting = undefined;
    }
  }

  async #start(): Promise<UpstreamLink> {
    const { signal, env } = this.#options;
    const spec = this.#spec;
    let link: UpstreamLink | undefined;
    try {
      const place = withDepth(await spec.place(env), env);
      const started = performance.now();
      link = await this.#connect(place, createQuote(place));
      const tools = await link.tools(spec.startTimeoutMs - (performance.now() - started));
      if (signal.aborted || link.isOver) throw new LinkError(this.#reason ?? 'nobody is served any more');
      this.#link = link;
      this.#era = link.isModern ? 'modern' : 'legacy';
      this.#upSince = performance.now();
      this.#reason = undefined;
      this.#take(tools);
      return link;
    } catch (error) {
      await link?.close();
      throw this.#failed(error);
    }
  }

  async #connect(place: UpstreamEndpoint, quote: Quote): Promise<UpstreamLink> {
    const { signal, roots } = this.#options;
    const spec = this.#spec;
    return await UpstreamLink.open({
      place,
      name: spec.name,
      era: this.#era,
      timeoutMs: spec.startTimeoutMs,
      signal,
      quote,
      roots,
      note: (text) => this.#tell(text),
      onToolsChanged: () => this.#gather(),
      onOver: (why) => this.#lost(why),
    });
  }

  /** What the user can mend is no failure of the server, and looked at again the next time. */
  #failed(error: unknown): Error {
    const isLack = isBranded(error, brands.toolError);
    this.#reason = errorMessage(error).replace(/\.$/, '');
    this.#state = error instanceof SpawnError ? 'cannot be started' : 'is unavailable';
    this.#era = undefined;
    if (!isLack) this.#backOff();
    return isLack ? (error as Error) : new ToolError(this.#away(this.#reason));
  }

  #lost(why: string): void {
    if (!this.#link) {
      this.#reason = why;
      return;
    }
    this.#link = undefined;
    this.#reason = why;
    this.#state = 'is unavailable';
    if (performance.now() - this.#upSince >= this.#options.pace.steadyMs) this.#failures = 0;
    this.#backOff();
    if (!this.#options.signal.aborted) this.#tell(`is lost: ${why}`);
  }

  #backOff(): void {
    const { backoffMs, longestBackoffMs } = this.#options.pace;
    this.#retryAt = performance.now() + Math.min(backoffMs * 2 ** this.#failures, longestBackoffMs);
    this.#failures += 1;
  }

  /** Lets it be started again now, since it was no failure that it was lost. */
  retryAtOnce(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  #tell(text: string): void {
    this.#options.report(withFullStop(`The upstream server "${this.name}" ${text}`));
  }

  #take(tools: readonly unknown[]): void {
    this.#tools = tools;
    this.#options.onTools();
  }

  /** Has it ask again where clients work. */
  tellRoots(): void {
    // One that is starting is told once it is there, whatever it has asked for by then.
    if (this.#starting) void this.#starting.then((link) => link.tellRoots()).catch(() => {});
    else this.#link?.tellRoots();
  }

  #gather(): void {
    const { pace } = this.#options;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      void this.#readAgain();
    }, pace.gatherMs).unref();
  }

  async #readAgain(): Promise<void> {
    const link = this.#link;
    if (!link || link.isOver) return;
    try {
      this.#take(await link.tools(this.#spec.startTimeoutMs));
    } catch (error) {
      if (!link.isOver) this.#tell(`does not list its tools again: ${errorMessage(error)}`);
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#gathering);
    const link = this.#link;
    this.#link = undefined;
    await Promise.all([link?.close(), this.#starting?.then((started) => started.close()).catch(() => {})]);
  }
}

/** A program finds what every program needs, its own variables, and how deep it stands. @throws ToolError if that is too deep */
function withDepth(place: UpstreamEndpoint, env: UpstreamOptions['env']): UpstreamEndpoint {
  if ('url' in place) return place;
  const depth = Number(env[depthVariable] ?? 0) || 0;
  if (depth >= deepest) {
    throw new ToolError(
      `upstream servers stand more than ${deepest} deep behind each other. Is "${place.command}" this very server?`,
    );
  }
  return {
    ...place,
    env: { ...childEnvironment(env), ...place.env, [depthVariable]: String(depth + 1) },
  };
}
