import type { Writable } from 'node:stream';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { deferred } from '../base/deferred.js';
import { InFlightMap } from '../base/in-flight-map.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import { RequestTimeoutError } from '../protocol/request.js';
import { brands, isBranded } from '../runtime/authoring-symbols.js';
import type { ListedKind } from '../runtime/context.js';
import { deadlines } from '../runtime/deadlines.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { listedKinds } from '../runtime/served-kind.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { type HostDeath, mayBeForeign } from './host-death.js';
import { HostEndedError, HostFailureError, HostTimeoutError, NeverBegunError } from './host-error.js';
import type { Excluded, HostedConnection, HostedRequest, HostedServer, ToHost } from './host-messages.js';
import type { HostProcess, HostProcessOptions } from './host-process.js';
import type { ChannelMessage } from './json-line-channel.js';
import { type AskingCall, type ServedUpstreams, UpstreamCalls, withdrawn } from './upstream-calls.js';

/** Front side of a request that runs in the host. */
export interface ForwardedRequest {
  /** Display name: `Tool "search"`. */
  readonly what: string;
  /** Longest run in milliseconds, without the time of input requests. */
  readonly timeoutMs: number;
  /** Time that passed before the host received the request, in milliseconds. */
  readonly passedMs: number;
  readonly onAbort: (listener: (reason: unknown) => void) => void;
  readonly notify: (method: string, params: JsonObject) => void;
  readonly ask: (
    request: { readonly method: string; readonly params: JsonObject | undefined },
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ) => Promise<JsonObject>;
  /** Signs the state that the call needs after the client has answered. */
  readonly seal: (remembered: unknown) => Promise<string>;
  readonly closeStream: () => void;
  readonly asker: AskingCall['asker'];
  readonly auth: AuthInfo | undefined;
}

/** Options of a host, in a separate process or in this one. */
export type HostLinkOptions = Pick<
  HostProcessOptions,
  'entry' | 'env' | 'stderr' | 'sandbox' | 'onReady' | 'onMessage' | 'onDeath'
> & {
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
};

/** A host as seen by the front. */
export type HostLink = Pick<HostProcess, 'send' | 'kill' | 'lastBegun'>;

export interface GenerationOptions {
  /** Starts the host. */
  readonly link: (options: HostLinkOptions) => HostLink;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  readonly entry: string;
  readonly hosted: HostedServer;
  /** Runs the host. Default: it has the rights of this process. */
  readonly sandbox: Sandbox | undefined;
  /** True if a debugger may stop the host: it has no time limits. */
  readonly isDebugged: boolean;
  /** Changes that code made in earlier hosts, as text. */
  readonly usualChanges: readonly string[];
  readonly stderr: Writable;
  readonly upstreams: () => ServedUpstreams | undefined;
  readonly onListChanged: (kind: ListedKind) => void;
  readonly onResourceUpdated: (uri: string) => void;
  readonly onSession: (connection: number, key: string, text: string | undefined) => void;
  /** Called when a request became a task, with the task handle. */
  readonly onTask: (handle: JsonObject, running: ForwardedRequest, generation: Generation) => void;
  /** Called when a task of this host has ended, with its description. */
  readonly onTaskEnd: (taskId: string, description: JsonObject) => void;
  /**
   * Called when code has changed shared objects of the host. Unless the change is usual, this host should be replaced.
   */
  readonly onChanged: (changes: readonly string[], isUsual: boolean, generation: Generation) => void;
  readonly onDeath: (death: HostDeath, generation: Generation) => void;
  readonly onHookEnd: (hook: string) => void;
}

/** Time beyond its own limit after which a call's host counts as blocked, in milliseconds. */
const graceMs = 1000;

/** Longest wait of a call for its beginning in an otherwise idle host, in milliseconds. */
const beginningMs = 1000;

/**
 * Time until an unresponsive host counts as blocked during a composition, and the pause between pings, in milliseconds.
 */
const silentMs = 2000;
const watchPauseMs = 100;

/** Longest composition of a server in a host, in milliseconds. */
const composeLimitMs = 25_000;

const clientRequestMethods: readonly string[] = [
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
];
/** Answer to an input request of code that runs on after its call. */
const endedCall = new ProtocolError(-32600, 'The call has ended.');

const forwardedNotifications: readonly string[] = ['notifications/progress', 'notifications/message'];

/** One extension host from start to death, as seen by the front. */
export class Generation {
  /** Resolves when the host is ready to receive. Rejects with {@link HostEndedError}. */
  readonly ready: Promise<void>;
  /** Start time, by the clock of `performance`. */
  readonly since = performance.now();
  /** The modules that the host is loading. */
  readonly loading = new Set<string>();
  /** Hooks that run in the host, in the order of their start. */
  readonly hooks = new Map<string, NodeJS.Timeout | undefined>();
  readonly #options: GenerationOptions;
  readonly #process: HostLink;
  readonly #calls = new InFlightMap<number, HostCall>();
  /** Requests that became tasks, by number. */
  readonly #tasks = new Map<number, { readonly taskId: string; readonly call: HostCall }>();
  /** Tasks that ended before the results of their calls were sent. */
  readonly #endedTasks = new Map<number, JsonObject>();
  readonly #questions = new Map<number, AbortController>();
  readonly #opened = new Set<number>();
  readonly #upstreamCalls: UpstreamCalls;
  #composed: Promise<void> | undefined;
  isComposed = false;
  /** Time of the last composition, by the clock of `performance`. */
  composedAt: number | undefined;
  /** True if extension code has replaced shared objects of the host after the code was loaded. */
  isTampered = false;
  /** True if the host begins no more requests, since code has changed shared objects. */
  isRefusing = false;
  #last = 0;
  #isKilled = false;
  #answered = 0;
  readonly #dead = deferred();
  #death: HostDeath | undefined;
  #onIdle: (() => void) | undefined;
  /** Timer that checks for calls that have not begun. */
  #watch: NodeJS.Timeout | undefined;

  constructor(options: GenerationOptions) {
    this.#options = options;
    const { entry, hosted, stderr, sandbox } = options;
    this.#upstreamCalls = new UpstreamCalls({
      send: (message) => this.#send(message),
      upstreams: options.upstreams,
    });
    const ready = deferred();
    this.ready = ready.promise;
    ready.promise.catch(() => {});
    this.#process = options.link({
      report: options.report,
      entry,
      env: hosted.env,
      stderr,
      sandbox,
      onReady: () => {
        this.#send({ type: 'start', hosted, usualChanges: options.usualChanges });
        ready.resolve();
      },
      onMessage: (message) => this.#receive(message),
      onDeath: (death) => {
        this.#death = death;
        ready.reject(new HostEndedError(death.reason));
        this.#end(death);
        this.#dead.resolve();
      },
    });
  }

  /** True if the host takes no more calls: it is dead or was killed. */
  get isOver(): boolean {
    return this.#isKilled || this.#death !== undefined;
  }

  /** True if a signal ended the host that another process may have sent. */
  get isSignalled(): boolean {
    return this.#death !== undefined && mayBeForeign(this.#death);
  }

  get isIdle(): boolean {
    return this.#calls.size === 0 && this.#tasks.size === 0;
  }

  /** Number of answered requests. */
  get answered(): number {
    return this.#answered;
  }

  /** Display names of the begun, unanswered requests and of the tasks. */
  get running(): readonly string[] {
    const last = this.#process.lastBegun;
    const begun = [...this.#calls].flatMap(([number, call]) => (number <= last ? [call] : []));
    const tasks = [...this.#tasks.values()].map(({ call }) => call);
    return [...begun, ...tasks].flatMap(({ running }) => (running ? [running.what] : []));
  }

  /**
   * Returns the host's description of a module's default export, unchecked. Has no time limit. @throws HostEndedError
   */
  async describe(file: string, relative: string): Promise<unknown> {
    const limitMs = Number.POSITIVE_INFINITY;
    return await this.#ask((call) => ({ type: 'describe', call, file, relative }), { limitMs, late: '' });
  }

  /** Opens the debugger port of the host; null closes it. `waits`: the host waits for a debugger and stops. */
  debug(port: number | null, { waits }: { readonly waits: boolean }): void {
    this.#send({ type: 'debug', port, waits });
  }

  /** Excludes modules and hooks from the composed server, each with the reason. */
  exclude(excluded: Excluded, hooks: Excluded): void {
    this.#send({ type: 'exclude', excluded, hooks });
  }

  /**
   * Composes the server in the host, once, with added packages from these folders. @throws HostEndedError;
   * HostFailureError with the reason why it cannot be composed
   */
  compose(packages: ReadonlyMap<string, string>): Promise<void> {
    if (this.#composed) return this.#composed;
    const folders = Object.fromEntries(packages);
    const composed = this.#ask((call) => ({ type: 'compose', call, packages: folders }), {
      limitMs: composeLimitMs,
      late: `did not load the server within ${composeLimitMs / 1000} s`,
    }).then(() => {
      // Another composition may have become necessary.
      this.isComposed = this.#composed === composed;
      this.composedAt = performance.now();
    });
    this.#composed = composed;
    void this.#watchComposition(composed);
    return composed;
  }

  /** Ends a host that does not answer though no module is loading: code of a loaded module blocks it. */
  async #watchComposition(composed: Promise<void>): Promise<void> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    composed.then(end, end);
    while (!isOver && !this.isOver && !this.#options.isDebugged) {
      if (await this.answers(silentMs))
        await new Promise((resolve) => setTimeout(resolve, watchPauseMs).unref());
      else if (!isOver && !this.isOver && this.loading.size === 0) {
        this.kill('was ended, since code that a module left behind blocked it');
      }
    }
  }

  /** Cancels tasks and waits until they have ended. */
  async endTasks(limitMs: number): Promise<void> {
    const late = `did not end its tasks within ${limitMs / 1000} s`;
    await this.#ask((call) => ({ type: 'end-tasks', call, limitMs }), {
      limitMs: limitMs + graceMs,
      late,
    }).catch(() => {});
  }

  /** Resolves with true if the host answers within `limitMs`. */
  async answers(limitMs: number): Promise<boolean> {
    if (this.#options.isDebugged) return !this.isOver;
    const late = new Promise<false>((resolve) => setTimeout(resolve, limitMs, false).unref());
    const ask = this.#ask((call) => ({ type: 'ping', call }), {
      limitMs: Number.POSITIVE_INFINITY,
      late: '',
    });
    return await Promise.race([
      ask.then(
        () => true,
        () => false,
      ),
      late,
    ]);
  }

  /** Runs the function that finds an upstream endpoint. @throws HostEndedError */
  async place(id: string, limitMs: number): Promise<JsonObject> {
    const late = `did not find the place of an upstream server within ${limitMs / 1000} s`;
    return await this.#ask((call) => ({ type: 'place', call, id }), { limitMs: limitMs + graceMs, late });
  }

  /** Returns the first id with the same endpoint function. @throws HostEndedError */
  async placeKey(id: string): Promise<string> {
    const late = 'did not compare functions';
    const limitMs = composeLimitMs;
    return textIn((await this.#ask((call) => ({ type: 'place-key', call, id }), { limitMs, late })).id);
  }

  /** Runs `initialize` hooks. @throws HostEndedError, HostTimeoutError */
  async initialize(tool: string | undefined, limitMs: number): Promise<JsonObject> {
    const late = 'was ended, since "initialize" blocked it';
    const message = (call: number) => ({
      type: 'initialize' as const,
      call,
      limitMs,
      ...(tool !== undefined && { tool }),
    });
    return await this.#ask(message, { limitMs: limitMs + graceMs, late });
  }

  /** Sends the items of upstream servers to the host, if they have changed. */
  tellUpstreamItems(): void {
    this.#upstreamCalls.tellItems();
  }

  /** Composes the server again in the host on its next use. */
  recompose(): void {
    this.#upstreamCalls.forgetItems();
    this.#composed = undefined;
    this.isComposed = false;
  }

  /** Registers a connection with the host. */
  open(connection: number, opened: () => HostedConnection): void {
    if (this.#opened.has(connection)) return;
    this.#opened.add(connection);
    this.#send({ type: 'open', connection, opened: opened() });
  }

  update(connection: number, { root, logLevel }: Pick<HostedConnection, 'root' | 'logLevel'>): void {
    if (this.#opened.has(connection)) this.#send({ type: 'update', connection, root, logLevel });
  }

  forget(connection: number): void {
    if (this.#opened.delete(connection)) this.#send({ type: 'close', connection });
  }

  /**
   * Runs a request in the host.
   * @throws NeverBegunError, HostEndedError, HostTimeoutError; ProtocolError from the host
   */
  run(connection: number, request: HostedRequest, running: ForwardedRequest): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const number = this.#next();
      const { timeoutMs, passedMs } = running;
      const call = new HostCall({
        running,
        limitMs: this.#options.isDebugged
          ? Number.POSITIVE_INFINITY
          : Math.max(0, timeoutMs - passedMs) + graceMs,
        onLate: () => {
          const hasBegun = number <= this.#process.lastBegun;
          if (hasBegun) reject(new HostTimeoutError(`gave no answer within ${timeoutMs / 1000} s`));
          // The next host takes a call that has not begun.
          this.kill(`was ended, since ${this.#lateness(running, hasBegun)}`);
        },
        resolve,
        reject,
      });
      this.#calls.set(number, call);
      this.#send({ type: 'request', call: number, connection, request });
      this.#watchBeginnings();
      running.onAbort((reason) => {
        if (this.#calls.has(number))
          this.#send({ type: 'cancel', call: number, reason: abortReasonText(reason) });
      });
    });
  }

  /** Describes a call that a free thread would have answered in time. Completes "The host was ended, since". */
  #lateness({ what, timeoutMs }: ForwardedRequest, hasBegun: boolean): string {
    const seconds = `${timeoutMs / 1000} s`;
    if (!hasBegun) return `other code blocked it for ${seconds}, and ${lowerFirst(what)} could not begin`;
    const cause =
      this.#answered > 0 ? ': it, or code that an earlier call left behind, blocked the host' : '';
    return `${lowerFirst(what)} gave no answer within ${seconds}${cause}`;
  }

  /** Ends the host once it has no running calls and tasks, at the latest after `limitMs`. */
  retire(limitMs: number): void {
    const wait = deadlines.add(limitMs, () => this.kill('was replaced'));
    this.#onIdle = () => {
      deadlines.remove(wait);
      void this.close();
    };
    if (this.isIdle) this.#onIdle();
  }

  /** Lets the host abort its work and run its exit handlers. Resolves when the host is dead. */
  async close(): Promise<void> {
    this.#send({ type: 'end' });
    const timer = setTimeout(() => void this.#process.kill(), closeMs);
    await this.#dead.promise;
    clearTimeout(timer);
  }

  kill(reason?: string): void {
    this.#isKilled = true;
    void this.#process.kill(reason);
  }

  /** Arms one timer for all calls, since most calls begin at once. */
  #watchBeginnings(waitedMs = 0): void {
    this.#watch ??= setTimeout(() => {
      this.#watch = undefined;
      this.#endIfBlocked();
    }, beginningMs - waitedMs).unref();
  }

  /** Ends a host in which calls wait though nothing else runs: leftover code of earlier calls blocks it. */
  #endIfBlocked(): void {
    if (this.isOver || this.#calls.size === 0 || this.#options.isDebugged) return;
    const last = this.#process.lastBegun;
    const now = performance.now();
    const waits = [...this.#calls].map(([number, { since }]) => (number <= last ? 0 : now - since));
    const waitedMs = waits.includes(0) ? 0 : Math.max(...waits);
    if (waitedMs < beginningMs) this.#watchBeginnings(waitedMs);
    else this.kill('was ended, since code that an earlier call left behind blocked it');
  }

  #next(): number {
    this.#last += 1;
    return this.#last;
  }

  #ask(
    message: (call: number) => ToHost,
    { limitMs: longest, late }: { readonly limitMs: number; readonly late: string },
  ): Promise<JsonObject> {
    const limitMs = this.#options.isDebugged ? Number.POSITIVE_INFINITY : longest;
    return new Promise((resolve, reject) => {
      const number = this.#next();
      const call = new HostCall({ limitMs, onLate: () => this.kill(late), resolve, reject });
      this.#calls.set(number, call);
      this.#send(message(number));
    });
  }

  #send(message: ToHost): void {
    if (!this.isOver) this.#process.send(message as unknown as ChannelMessage);
  }

  #receive(message: ChannelMessage): void {
    const { type, call: number } = message;
    const take = Object.hasOwn(receivers, textIn(type)) ? receivers[textIn(type)] : undefined;
    if (!take) {
      this.#fault('sent a message of an unknown type');
      return;
    }
    // The answer may arrive after the call was given up.
    take(this, message, typeof number === 'number' ? this.#calls.get(number) : undefined);
  }

  /** Ends a host that breaks the rules of the channel. */
  #fault(what: string): Error {
    this.kill(what);
    return new HostEndedError(what);
  }

  takeResult({ call: number, result }: ChannelMessage, call: HostCall | undefined): void {
    if (!call) return;
    if (!isRecord(result)) {
      this.#fault('sent a result that is not an object');
      return;
    }
    this.#calls.delete(number as number);
    if (call.running) this.#answered += 1;
    const { resultType, taskId } = result;
    if (call.running && resultType === 'task' && typeof taskId === 'string') {
      this.#tasks.set(number as number, { taskId, call });
      this.#options.onTask(result, call.running, this);
      call.resolveAsTask(result);
      const ended = this.#endedTasks.get(number as number);
      if (ended) this.#endTask(number as number, ended);
    } else call.resolve(result);
    this.#endedTasks.delete(number as number);
    if (this.isIdle) this.#onIdle?.();
  }

  takeTaskEnd({ call: number, task }: ChannelMessage): void {
    if (!isRecord(task)) return;
    if (this.#calls.has(number as number)) this.#endedTasks.set(number as number, task);
    else this.#endTask(number as number, task);
    if (this.isIdle) this.#onIdle?.();
  }

  #endTask(number: number, task: JsonObject): void {
    const known = this.#tasks.get(number);
    if (!known) return;
    this.#tasks.delete(number);
    known.call.finish();
    this.#options.onTaskEnd(known.taskId, { ...task, taskId: known.taskId });
  }

  takeError({ call: number, error }: ChannelMessage, call: HostCall | undefined): void {
    if (!call) return;
    const { code, message, data } = isRecord(error) ? error : {};
    this.#calls.delete(number as number);
    call.reject(
      Number.isSafeInteger(code)
        ? new ProtocolError(code as number, textIn(message), data)
        : new HostFailureError(textIn(message)),
    );
    if (this.isIdle) this.#onIdle?.();
  }

  takeBreakage({ change }: ChannelMessage): void {
    this.kill(textIn(change).slice(0, 200));
  }

  takeTampering({ changes, isUsual, isAddition }: ChannelMessage): void {
    this.isTampered ||= isAddition !== true;
    this.isRefusing ||= isUsual !== true;
    const texts = Array.isArray(changes) ? changes.map((change) => textIn(change).slice(0, 200)) : [];
    this.#options.onChanged(texts, isUsual === true, this);
  }

  takeRefusal({ call: number }: ChannelMessage, call: HostCall | undefined): void {
    if (!call) return;
    this.#calls.delete(number as number);
    call.reject(new NeverBegunError('is replaced'));
    if (this.isIdle) this.#onIdle?.();
  }

  takeNotification({ method, params }: ChannelMessage, call: HostCall | undefined): void {
    if (!call?.running || !forwardedNotifications.includes(textIn(method)) || !isRecord(params)) return;
    call.running.notify(method as string, params);
  }

  takeQuestion({ question, method, params, timeoutMs }: ChannelMessage, call: HostCall | undefined): void {
    if (typeof question !== 'number' || !clientRequestMethods.includes(textIn(method))) {
      this.#fault('asked the client in an unknown form');
      return;
    }
    if (!call?.running) {
      this.#reply(question, Promise.reject(endedCall), () => {});
      return;
    }
    const { running } = call;
    const ending = new AbortController();
    this.#questions.set(question, ending);
    const limits = { signal: ending.signal, timeoutMs: Number(timeoutMs) };
    const request = { method: method as string, params: isRecord(params) ? params : undefined };
    const resume = call.pause();
    this.#reply(question, running.ask(request, limits), resume);
  }

  takeWithdrawal({ question, reason, isSuspension }: ChannelMessage): void {
    this.#questions.get(question as number)?.abort(withdrawn(textIn(reason), isSuspension === true));
  }

  /** Answers a request about upstream servers. */
  takeUpstreamQuestion(message: ChannelMessage, call: HostCall | undefined): void {
    const { type, question } = message;
    if (typeof question !== 'number') {
      this.#fault('asked for an upstream server in an unknown form');
      return;
    }
    const ending = new AbortController();
    this.#questions.set(question, ending);
    this.#reply(question, this.#upstreamAnswer(message, textIn(type), { call, ending }), () => {});
  }

  async #upstreamAnswer(
    message: ChannelMessage,
    type: string,
    { call, ending }: { readonly call: HostCall | undefined; readonly ending: AbortController },
  ): Promise<unknown> {
    if (type === 'upstream-find') return await this.#upstreamCalls.find(message, ending.signal);
    const open = call ?? this.#tasks.get(message.call as number)?.call;
    // The handler may have started work without awaiting it.
    if (!open?.running) throw new Error('The call has ended.');
    const asking = { asker: open.running.asker, over: open.over };
    if (type === 'upstream-begin') return this.#upstreamCalls.begin(message, asking);
    const take = type === 'upstream-attend' ? 'attend' : 'call';
    return await this.#upstreamCalls[take](message, asking, ending.signal);
  }

  takeUpstreamAnswer(message: ChannelMessage): void {
    this.#upstreamCalls.takeAnswer(message);
  }

  takeUpstreamRefusal(message: ChannelMessage): void {
    this.#upstreamCalls.takeRefusal(message);
  }

  takeSeal({ question, remembered }: ChannelMessage, call: HostCall | undefined): void {
    if (typeof question !== 'number') {
      this.#fault('sent a state in an unknown form');
      return;
    }
    this.#reply(question, call?.running?.seal(remembered) ?? Promise.reject(endedCall), () => {});
  }

  #reply(question: number, answer: Promise<unknown>, onEnd: () => void): void {
    answer
      .then((result) => this.#send({ type: 'answer', question, result }))
      // The answer may exceed the size limit of a message.
      .catch((error: unknown) => {
        const { code = -32603, data } = error as { readonly code?: unknown; readonly data?: unknown };
        this.#send({
          type: 'failure',
          question,
          error: { code: Number(code), message: errorMessage(error), ...(data !== undefined && { data }) },
          isTimeout: error instanceof RequestTimeoutError,
          ...(isBranded(error, brands.toolError) && { isForModel: true }),
        });
      })
      .finally(() => {
        this.#questions.delete(question);
        onEnd();
      });
  }

  takeLoading({ type, file }: ChannelMessage): void {
    if (typeof file !== 'string') return;
    if (type === 'loading') this.loading.add(file);
    else this.loading.delete(file);
  }

  takeHook({ hook, isOver, limitMs }: ChannelMessage): void {
    if (typeof hook !== 'string') return;
    clearTimeout(this.hooks.get(hook));
    this.hooks.delete(hook);
    if (isOver === true) {
      this.#options.onHookEnd(hook);
      return;
    }
    const timer =
      typeof limitMs === 'number' && !this.#options.isDebugged
        ? setTimeout(() => this.#endHook(hook, limitMs), limitMs + graceMs)
        : undefined;
    this.hooks.set(hook, timer?.unref());
  }

  /** Ends a host that is blocked by a hook. Other calls have their own limits. */
  #endHook(hook: string, limitMs: number): void {
    if (this.running.length > 1) return;
    this.kill(`was ended, since the hook "${hook}" gave no answer within ${limitMs / 1000} s`);
  }

  takeChange({ type, kind, uri }: ChannelMessage): void {
    if (type === 'resource-updated' && typeof uri === 'string') this.#options.onResourceUpdated(uri);
    const changed = listedKinds.find((known) => known === kind);
    if (type === 'list-changed' && changed) this.#options.onListChanged(changed);
  }

  takeSession({ connection, key, text }: ChannelMessage): void {
    if (typeof connection !== 'number' || typeof key !== 'string') return;
    this.#options.onSession(connection, key, typeof text === 'string' ? text : undefined);
  }

  #end(death: HostDeath): void {
    const calls = [...this.#calls];
    const last = this.#process.lastBegun;
    clearTimeout(this.#watch);
    // The listener reads the running calls.
    this.#options.onDeath(death, this);
    this.#calls.clear();
    for (const timer of this.hooks.values()) clearTimeout(timer);
    for (const { call } of this.#tasks.values()) call.finish();
    this.#tasks.clear();
    this.#endedTasks.clear();
    for (const ending of this.#questions.values()) ending.abort(new HostEndedError(death.reason));
    for (const [number, call] of calls) {
      const isLost = !call.running || number <= last;
      call.reject(isLost ? new HostEndedError(death.reason) : new NeverBegunError(death.reason));
    }
    this.#onIdle?.();
  }
}

/** Time for a host to abort its work, end its child processes and run its exit handlers, in milliseconds. */
const closeMs = 1000;

interface HostCallOptions {
  readonly running?: ForwardedRequest;
  readonly limitMs: number;
  readonly onLate: () => void;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: Error) => void;
}

/** One unanswered request to a host. Its deadline pauses during input requests. */
class HostCall {
  readonly running: ForwardedRequest | undefined;
  /** Send time, in milliseconds. */
  readonly since = performance.now();
  readonly #options: HostCallOptions;
  #over: AbortController | undefined;
  #leftMs: number;
  #wait: ReturnType<typeof deadlines.add> | undefined;
  #pauses = 0;

  constructor(options: HostCallOptions) {
    this.running = options.running;
    this.#options = options;
    this.#leftMs = options.limitMs;
    this.#start();
  }

  resolve(result: JsonObject): void {
    this.#settle();
    this.#options.resolve(result);
  }

  reject(error: Error): void {
    this.#settle();
    this.#options.reject(error);
  }

  /** Resolves with the handle of a task, which has no deadline until {@link finish}. */
  resolveAsTask(handle: JsonObject): void {
    this.#stop();
    this.#leftMs = Number.POSITIVE_INFINITY;
    this.#options.resolve(handle);
  }

  finish(): void {
    this.#settle();
  }

  /** Pauses the deadline. Returns the function that resumes it. */
  pause(): () => void {
    this.#pauses += 1;
    this.#stop();
    return () => {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#start();
    };
  }

  #start(): void {
    if (Number.isFinite(this.#leftMs)) this.#wait = deadlines.add(this.#leftMs, this.#options.onLate);
  }

  #stop(): void {
    if (!this.#wait) return;
    deadlines.remove(this.#wait);
    this.#leftMs = Math.max(0, this.#wait.at - performance.now());
    this.#wait = undefined;
  }

  /** Signal that aborts when the call is answered. */
  get over(): AbortSignal {
    this.#over ??= new AbortController();
    return this.#over.signal;
  }

  #settle(): void {
    this.#over?.abort(new Error('The call has ended.'));
    this.#leftMs = Number.POSITIVE_INFINITY;
    if (this.#wait) deadlines.remove(this.#wait);
    this.#wait = undefined;
  }
}

type MessageReceiver = (generation: Generation, message: ChannelMessage, call: HostCall | undefined) => void;

const receivers: Readonly<Record<string, MessageReceiver>> = {
  result: (generation, message, call) => generation.takeResult(message, call),
  error: (generation, message, call) => generation.takeError(message, call),
  notify: (generation, message, call) => generation.takeNotification(message, call),
  ask: (generation, message, call) => generation.takeQuestion(message, call),
  withdraw: (generation, message) => generation.takeWithdrawal(message),
  seal: (generation, message, call) => generation.takeSeal(message, call),
  refusal: (generation, message, call) => generation.takeRefusal(message, call),
  'upstream-find': (generation, message, call) => generation.takeUpstreamQuestion(message, call),
  'upstream-call': (generation, message, call) => generation.takeUpstreamQuestion(message, call),
  'upstream-begin': (generation, message, call) => generation.takeUpstreamQuestion(message, call),
  'upstream-attend': (generation, message, call) => generation.takeUpstreamQuestion(message, call),
  'upstream-answer': (generation, message) => generation.takeUpstreamAnswer(message),
  'upstream-refusal': (generation, message) => generation.takeUpstreamRefusal(message),
  'task-ended': (generation, message) => generation.takeTaskEnd(message),
  changed: (generation, message) => generation.takeTampering(message),
  'close-stream': (_, __, call) => call?.running?.closeStream(),
  loading: (generation, message) => generation.takeLoading(message),
  loaded: (generation, message) => generation.takeLoading(message),
  'list-changed': (generation, message) => generation.takeChange(message),
  'resource-updated': (generation, message) => generation.takeChange(message),
  broken: (generation, message) => generation.takeBreakage(message),
  hook: (generation, message) => generation.takeHook(message),
  session: (generation, message) => generation.takeSession(message),
};

function abortReasonText(reason: unknown): string {
  return reason instanceof Error ? reason.message : textIn(reason);
}

/** A string member of a message; empty for other types. Conversion of a JSON object to a string may throw. */
function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
