import { errorMessage } from '../base/thrown-value.js';
import { type MissingToolsReason, upstreamAbsent } from '../live/list-faults.js';
import { brands, isBranded } from '../runtime/authoring-symbols.js';
import type { Root } from '../runtime/context.js';
import { ProtocolError, ToolError } from '../runtime/result-builders.js';
import type { ServedKind } from '../runtime/served-kind.js';
import type { UpstreamEndpoint, UpstreamListing, UpstreamSpec } from '../runtime/upstream.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { KnownEra } from './era-negotiation.js';
import { createQuote, type Quote, secondsWords, withFullStop } from './error-text.js';
import type { ListPart } from './list-reader.js';
import { isNamed, requirePermittedHost, requirePermittedVariables } from './permitted-upstream.js';
import { childEnvironment } from './program-transport.js';
import type { SignInSource } from './remote-sign-in.js';
import { LinkError, SignInNeededError, SpawnError } from './upstream-errors.js';
import { type LinkEvents, UpstreamLink } from './upstream-link.js';
import { partsOf, UpstreamLists } from './upstream-lists.js';

/** Delays of restarts and list reads, in milliseconds. */
export interface RetryPolicy {
  /** Delay before a restart after the first failure. Doubles with each further one. Default: 1000. */
  readonly backoffMs: number;
  readonly longestBackoffMs: number;
  /** Least run of a server that resets its failures. Default: 10,000. */
  readonly steadyMs: number;
  /** Delay before a changed list is read again, to combine changes. Default: 100. */
  readonly gatherMs: number;
}

export const defaultPace: RetryPolicy = {
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  steadyMs: 10_000,
  gatherMs: 100,
};

export interface UpstreamOptions extends SignInSource {
  readonly spec: UpstreamSpec;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs the program, if it is one. Default: it has the rights of this process. */
  readonly sandbox?: Sandbox | undefined;
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
  readonly pace: RetryPolicy;
  /** True if the process makes one call only, so that no retry is announced. */
  readonly isOnce: boolean;
  /** Writes one line to stderr, the same line once. */
  readonly report: (line: string) => void;
  /** Returns the roots of the clients, for requests outside any call. */
  readonly roots: () => Promise<readonly Root[]>;
  readonly events: Omit<LinkEvents, 'onListChanged'> & {
    /** Called when the items arrive or change. */
    readonly onItems: () => void;
  };
  /** False for a further connection of another user, which lists nothing. Default: true. */
  readonly lists?: boolean;
  /** Returns the lowest level of log messages that clients want; undefined: the default of the server. */
  readonly logLevel: () => string | undefined;
}

/** @see JSON-RPC 2.0, section 5.1 */
const methodNotFound = -32_601;

/** Environment variable with the nesting depth of upstream servers. */
const depthVariable = 'AGENTTOOLS_UPSTREAM_DEPTH';

/** Deepest nesting of upstream servers. Stops a server that starts itself. */
const deepest = 3;

/** One upstream server. Starts on use, and again after it has ended. */
export class Upstream {
  readonly #options: UpstreamOptions;
  #spec: UpstreamSpec;
  #link: UpstreamLink | undefined;
  #starting: Promise<UpstreamLink> | undefined;
  #era: KnownEra;
  readonly #lists: UpstreamLists;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  #upSince = 0;
  /** Reason of the last failure, as the end of a sentence. */
  #reason: string | undefined;
  /** State of the server in messages, before the reason. */
  #state: MissingToolsReason = 'is unavailable';
  #subscribed: readonly string[] = [];
  /** The wait for a sign-in. */
  #awaiting: AbortController | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#spec = options.spec;
    this.#lists = new UpstreamLists({
      read: async (part) => await this.#read(part),
      onChange: () => options.events.onItems(),
      gatherMs: options.pace.gatherMs,
    });
  }

  /** Sets the spec of a newer definition, used from the next start on. */
  renew(spec: UpstreamSpec): void {
    this.#spec = spec;
  }

  get name(): string {
    return this.#spec.name;
  }

  /** Last known items; undefined before the first start. */
  get listing(): UpstreamListing | undefined {
    return this.#lists.listing;
  }

  /** True if all lists of a kind are known. */
  hasListed(kind: ServedKind): boolean {
    return partsOf[kind].every((part) => this.#lists.has(part));
  }

  /** Starts it, and resolves when all lists of a kind are known. @throws ToolError with the reason of a failure */
  async listed(kind: ServedKind): Promise<void> {
    await this.open();
    await this.#lists.read(kind);
  }

  /** Input schema of a tool, as listed. */
  schemaOf(name: string): unknown {
    return this.#lists.schemaOf(name);
  }

  /** True if it speaks a revision up to 2025-11-25; undefined if not known. */
  get isLegacy(): boolean | undefined {
    return this.#era === undefined ? undefined : this.#era === 'legacy';
  }

  get isUp(): boolean {
    return this.#link !== undefined && !this.#link.isOver;
  }

  /** True if its last use failed. */
  get hasFailed(): boolean {
    return this.#reason !== undefined;
  }

  /** Time until the next start is allowed, in milliseconds. Negative if it is allowed now. */
  get #backoffMs(): number {
    return this.#retryAt - performance.now();
  }

  /** True if it is starting, or may start now. */
  get mayStart(): boolean {
    return this.#starting !== undefined || this.#backoffMs <= 0;
  }

  /** Reason why it is unavailable, as a sentence; undefined if it is up or has not failed. */
  get absence(): string | undefined {
    if (this.isUp) return undefined;
    if (this.#starting) return `The upstream server "${this.name}" is still starting; try again in a moment.`;
    if (this.#reason === undefined) return undefined;
    return this.#away(this.#reason);
  }

  /** Reports to stderr why it is unavailable. Callers get the reason as an error. */
  tellAbsence(): void {
    const { signal, report } = this.#options;
    if (this.#reason === undefined || signal.aborted) return;
    report(withFullStop(upstreamAbsent(this.name, this.#state) + this.#reason));
  }

  /** Reports to stderr that lists no longer wait for it, if it is still starting. */
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

  /** Returns the open link, or starts the server. @throws ToolError with the reason of a failure */
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
    const { signal, env, sandbox } = this.#options;
    const spec = this.#spec;
    let link: UpstreamLink | undefined;
    try {
      if (sandbox) requirePermittedVariables(spec, sandbox);
      const place = withDepth(await spec.place(env), env, sandbox);
      if (sandbox) requirePermittedHost(spec, place, sandbox);
      const started = performance.now();
      link = await this.#connect(place, createQuote(place));
      const leftMs = spec.startTimeoutMs - (performance.now() - started);
      const tools = this.#options.lists === false ? undefined : await listTools(link, leftMs);
      if (signal.aborted || link.isOver) throw new LinkError(this.#reason ?? 'the server is closing');
      this.#link = link;
      this.#era = link.isModern ? 'modern' : 'legacy';
      this.#upSince = performance.now();
      this.#reason = undefined;
      this.#stopAwaiting();
      void link.subscribeTo(this.#subscribed);
      const logLevel = this.#options.logLevel();
      if (logLevel !== undefined) void link.setLogLevel(logLevel);
      if (tools) this.#lists.start(link.description, tools);
      return link;
    } catch (error) {
      await link?.close();
      throw this.#failed(error);
    }
  }

  async #connect(place: UpstreamEndpoint, quote: Quote): Promise<UpstreamLink> {
    const { signal, roots, signIns, signIn, sandbox } = this.#options;
    const spec = this.#spec;
    return await UpstreamLink.open({
      signIns,
      signIn,
      place,
      sandbox,
      isNamed: isNamed(spec),
      name: spec.name,
      era: this.#era,
      timeoutMs: spec.startTimeoutMs,
      signal,
      quote,
      roots,
      note: (text) => this.#tell(text),
      events: {
        ...this.#options.events,
        onListChanged: (kind) => {
          if (this.#options.lists !== false) this.#lists.gather(kind);
        },
      },
      onOver: (why) => this.#lost(why),
    });
  }

  /** Records a failed start. A ToolError is for the user to fix: it causes no backoff. */
  #failed(error: unknown): Error {
    const isLack = isBranded(error, brands.toolError);
    this.#reason = errorMessage(error).replace(/\.$/, '');
    this.#state = error instanceof SpawnError ? 'cannot be started' : 'is unavailable';
    this.#era = undefined;
    if (error instanceof SignInNeededError) {
      // Not a fault of the server: no longer delay after each attempt.
      this.#retryAt = performance.now() + this.#options.pace.backoffMs;
      void this.#startAfterSignIn(error.server);
    } else if (!isLack) this.#backOff();
    return isLack ? (error as Error) : new ToolError(this.#away(this.#reason));
  }

  /** Starts the server after the next sign-in. Otherwise clients that have read empty lists would never call it. */
  async #startAfterSignIn(server: string): Promise<void> {
    const { signIns, signal, isOnce, lists } = this.#options;
    if (!signIns || this.#awaiting || isOnce || lists === false) return;
    const awaiting = new AbortController();
    this.#awaiting = awaiting;
    try {
      await signIns.account(server).changed(AbortSignal.any([signal, awaiting.signal]));
      this.#awaiting = undefined;
      this.retryAtOnce();
      await this.open();
    } catch {
      // The server is up or closes, or the next call gets the reason.
    }
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

  /** Allows an immediate restart, for a loss that is not a failure. */
  retryAtOnce(): void {
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  #tell(text: string): void {
    this.#options.report(withFullStop(`The upstream server "${this.name}" ${text}`));
  }

  /** Reads a list. Never rejects: the other lists are served without this one. */
  async #read(part: ListPart): Promise<readonly unknown[] | undefined> {
    const link = this.#link;
    if (!link || link.isOver) return undefined;
    try {
      return await link.lists.read(part, this.#spec.startTimeoutMs);
    } catch (error) {
      if (link.isOver) return undefined;
      const isKnown = this.#lists.has(part);
      // Servers with a few fixed resources often have no method for templates.
      if (!(error instanceof ProtocolError && error.code === methodNotFound)) {
        this.#tell(`does not list its ${part}${isKnown ? ' again' : ''}: ${errorMessage(error)}`);
      }
      return isKnown ? undefined : [];
    }
  }

  /** Subscribes to these resources, and to no others, now and after each start. */
  subscribeTo(uris: readonly string[]): void {
    this.#subscribed = uris;
    if (this.isUp) void this.#link!.subscribeTo(uris);
  }

  /** Sends the lowest level of log messages. Each start sends it too. */
  setLogLevel(level: string): void {
    if (this.isUp) void this.#link!.setLogLevel(level);
  }

  /** Notifies the server of changed roots. */
  tellRoots(): void {
    // A starting server is notified once it is up, since it may have read older roots.
    if (this.#starting) void this.#starting.then((link) => link.tellRoots()).catch(() => {});
    else this.#link?.tellRoots();
  }

  #stopAwaiting(): void {
    this.#awaiting?.abort();
    this.#awaiting = undefined;
  }

  async close(): Promise<void> {
    this.#stopAwaiting();
    this.#lists.close();
    const link = this.#link;
    this.#link = undefined;
    await Promise.all([link?.close(), this.#starting?.then((started) => started.close()).catch(() => {})]);
  }
}

/** An error of the server is the reason why it is unavailable. @throws LinkError */
async function listTools(link: UpstreamLink, timeoutMs: number): Promise<readonly unknown[]> {
  try {
    return await link.lists.read('tools', timeoutMs);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new LinkError(`it answers tools/list with an error: ${error.message} (${error.code})`);
  }
}

/** Adds inherited variables and the nesting depth to a program's environment. @throws ToolError if nested too deep */
function withDepth(
  place: UpstreamEndpoint,
  env: UpstreamOptions['env'],
  sandbox: Sandbox | undefined,
): UpstreamEndpoint {
  if ('url' in place) return place;
  const depth = Number(env[depthVariable] ?? 0) || 0;
  if (depth >= deepest) {
    throw new ToolError(
      `upstream servers are nested more than ${deepest} deep. Does "${place.command}" start this server itself?`,
    );
  }
  return {
    ...place,
    env: {
      ...(sandbox?.environment(env) ?? childEnvironment(env)),
      ...place.env,
      [depthVariable]: String(depth + 1),
    },
  };
}
