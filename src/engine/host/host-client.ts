import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { packageRoot, packageVersion, workspaceFolders } from '../base/folders.js';
import type { PlainData } from '../base/plain-data.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { DefinitionLoadingError, type LoadCode } from '../extension/extension.js';
import type { ChangeNotifier } from '../live/change-notifier.js';
import {
  type CodeHost,
  type Connection,
  type HostedWork,
  type ReplayState,
  type RequestIdentity,
  requesterInfo,
} from '../live/connection.js';
import type { LiveServer } from '../live/live-server.js';
import { ErrorNumber, type WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { listEvent } from '../protocol/subscriptions.js';
import { error as failure, ProtocolError, ToolError } from '../runtime/result-builders.js';
import { reportOnce, type ServerRuntime } from '../runtime/server-runtime.js';
import type { GivenPlace } from '../runtime/upstream.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Tasks } from '../tasks/tasks.js';
import type { PlaceFinder, UpstreamHub } from '../upstream/upstream-hub.js';
import {
  type DefinitionFile,
  DefinitionLoader,
  type LoadFailure,
  type WantedHost,
} from './definition-loader.js';
import { HookFaults } from './hook-faults.js';
import type { HostDeath } from './host-death.js';
import { HostEndedError, HostFailureError, HostTimeoutError } from './host-error.js';
import type { ForwardedRequest, Generation, HostLink, HostLinkOptions } from './host-generation.js';
import type { HostedConnection, HostedRequest, HostedServer } from './host-messages.js';
import { readDescription } from './read-description.js';
import { Restarts } from './restarts.js';
import { runUntilBegun } from './run-until-begun.js';
import type { SurfaceStore } from './surface-store.js';
import type { ServedUpstreams } from './upstream-calls.js';

export interface HostClientOptions {
  readonly hosted: HostedServer;
  /** Receives output of the host and its child processes. */
  readonly stderr: Writable;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  readonly announce: ChangeNotifier['announce'];
  /** The server that runs in hosts; undefined before it is composed. */
  readonly live: () => LiveServer<UpstreamHub> | undefined;
  /** Called after a host has described modules differently from their records. */
  readonly onSurfaceChanged: () => Promise<void>;
  /** Returns the sandbox of each host. Default: hosts have the rights of this process. */
  readonly sandbox?: () => Sandbox | undefined;
  /** Longest wait of `loadCode` for one definition, in milliseconds. Read before each load. Default: infinite. */
  readonly patienceMs?: () => number;
  /** True if files are edited while they are served: nothing is recorded. Default: false. */
  readonly isEdited?: boolean;
  /** Opens the debugger port of the host that runs the code. Default: hosts have none. */
  readonly debug?: DebugOptions | undefined;
}

/** Debugging of hosts. */
export interface DebugOptions {
  /** Zero: any free port. */
  readonly port: number;
  /** True if the first host waits for a debugger before it loads code. */
  readonly waits: boolean;
}

/** Conditions of a swap. */
export interface Renewal {
  /** True if no code has changed, so modules need no new description. Default: false. */
  readonly hasSameCode?: boolean;
}

/** Outcome of a hook. `reason`: undefined if it succeeded. `isLate`: it did not end in time. */
export interface HookOutcome {
  readonly reason: string | undefined;
  readonly isLate: boolean;
}

/** Host that loads the definitions for a swap, while the current host takes the calls. */
interface Successor {
  host: Generation | undefined;
}

/** Task that runs in a host. */
interface RunningTask {
  /** As sent to the client. */
  readonly handle: WireObject;
  /** Display name: `Tool "render"`. */
  readonly what: string;
  readonly auth: RequestContext['auth'];
  readonly generation: Generation;
}

/** Longest load of a definition under a debugger, in milliseconds. */
const debugLimitMs = 24 * 60 * 60 * 1000;

/** Longest run of a call on a replaced host, in milliseconds. */
const retireMs = 60_000;

type HostLinkClass = new (options: HostLinkOptions) => HostLink;

/** Longest wait for the answer to a health check, in milliseconds. */
const wellMs = 3000;

/** Most recorded changes. */
const maxChanges = 1000;

/** Most attempts to compose a server if hosts die during the composition. */
const maxDescribeAttempts = 20;

/** Age at which a recorded failure is checked again in the background, in milliseconds. */
const recheckAfterMs = 10 * 60_000;

/** Time from the start of a server to the check of recorded failures, in milliseconds. */
const recheckDelayMs = 1000;

/** Longest time from loading to the death of a host at which its definitions are suspected, in milliseconds. */
const early = { once: 1500, repeatedly: 12_000 };

/** Longest wait of a call for the search for harmful definitions, in milliseconds. */
const searchWaitMs = 8000;

/** Sessions of 2025-era connections by key: JSON texts that outlive hosts. */
type SessionTexts = Map<string, string>;

/** The extension host of one server. Starts on first use, and again after it has died. */
export class HostClient implements CodeHost, PlaceFinder {
  readonly #options: HostClientOptions;
  #failures = new Map<string, LoadFailure>();
  #definitions = new Map<string, string>();
  /** Descriptions of this process by file. Not all descriptions can be recorded. */
  #described = new Map<string, PlainData>();
  readonly #loader: DefinitionLoader<Generation>;
  /** Hosts that load definitions. */
  readonly #lent = new Map<Generation, WantedHost>();
  readonly #hookFaults = new HookFaults();
  readonly #stale = new Map<string, string>();
  #earlyDeaths = 0;
  #searchAfter = 2;
  readonly #numbers = new WeakMap<Connection, number>();
  readonly #sessions = new Map<number, SessionTexts>();
  /** Changes of shared objects that led to a new host, as text. */
  readonly #changes = new Set<string>();
  /** Repeated and reported changes. */
  readonly #usual = new Set<string>();
  readonly #retired = new Set<Generation>();
  #opening: Promise<SurfaceStore> | undefined;
  /** Modules with a recorded description that no host has confirmed: paths in their packages, by file. */
  #unconfirmed = new Map<string, string>();
  readonly #confirmed = new Set<string>();
  /** Modules that were loading when a host ended during the composition of the server. */
  readonly #lastLoading = new Set<string>();
  #isConfirming = false;
  readonly #restarts = new Restarts({ now: () => performance.now(), goodCalls: 1 });
  #current: Generation | undefined;
  #starting: Promise<void> | undefined;
  /** The current host before its first request. */
  #spare: Generation | undefined;
  /** A started host for the next use, if files are edited: saves the start of a process after each change. */
  #blank: Generation | undefined;
  /** The host with the debugger port. */
  #debugged: Generation | undefined;
  /** Set during a swap. */
  #successor: Successor | undefined;
  /** True if no process can be started: extension code runs in this process. */
  #isLocal = false;
  #lastNumber = 0;
  /** Tasks that run in hosts, by id. */
  readonly #running = new Map<string, RunningTask>();
  /** Completed tasks. */
  #tasks: Tasks | undefined;
  #isClosed = false;

  constructor(options: HostClientOptions) {
    this.#options = options;
    this.#loader = new DefinitionLoader({
      openHost: async (wanted) => await this.#lend(wanted),
      releaseHost: (generation, { isSound }) => this.#takeBack(generation, isSound),
      onHarmful: (files) => void this.#leaveOut(files),
      ...(options.debug && { limitMs: debugLimitMs }),
    });
  }

  /**
   * Returns the recorded description of a module's default export. Without a record, a host loads and describes the
   * module.
   * @throws DefinitionLoadingError if loading takes longer than `patienceMs`
   */
  readonly loadCode: LoadCode = async (file, relative) => {
    this.#definitions.set(file, relative);
    const directory = stripRelativePath(file, relative);
    const store = await this.#openStore();
    const known = this.#failures.get(file);
    if (known) throw new Error(known.failure);
    const describeModuleInHost = this.#described.get(file);
    if (describeModuleInHost) return describeModuleInHost;
    const recorded = store?.find(directory, relative);
    if (recorded) {
      if (!this.#confirmed.has(file)) this.#unconfirmed.set(file, relative);
      return recorded;
    }
    const failed = store?.findFailure(directory, relative);
    if (failed) {
      this.#failures.set(file, failed);
      if (failed.isTimeout || Math.abs(Date.now() - failed.at) > recheckAfterMs)
        this.#recheckLater(file, relative);
      else if (!failed.isFatal) this.#unconfirmed.set(file, relative);
      throw new Error(failed.failure);
    }
    store?.stamp();
    const patienceMs = this.#options.patienceMs?.() ?? Number.POSITIVE_INFINITY;
    const loading = this.#load({ file, relative }, store);
    if (!Number.isFinite(patienceMs)) return await loading;
    loading.catch(() => {});
    const late = Symbol('late');
    const timer = new AbortController();
    const first = await Promise.race([loading, sleep(patienceMs, late, { signal: timer.signal })]).finally(
      () => timer.abort(),
    );
    if (typeof first === 'symbol') throw new DefinitionLoadingError('it is still loading');
    return first;
  };

  /** Resolves when no definition is loading. */
  async loaded(): Promise<void> {
    await this.#loader.settled();
  }

  /** Resolves when one more definition is loaded or skipped. */
  async loadedMore(): Promise<void> {
    await this.#loader.progress();
  }

  /** True while definitions are loading. */
  get isLoading(): boolean {
    return this.#loader.pending.length > 0;
  }

  async answer(connection: Connection, request: RequestContext, work: HostedWork): Promise<WireObject> {
    const { method, meta, auth, inputResponses } = request;
    const { params, subject } = work;
    const state =
      request.requestState === undefined ? undefined : await verifyRequestState(connection, request, subject);
    const hosted: HostedRequest = {
      id: request.id,
      method,
      params: meta ? { ...params, _meta: meta } : params,
      ...(auth && { auth }),
      ...(inputResponses && { inputResponses }),
      ...(state && { state }),
    };
    const running = toForwardedRequest(connection, request, work);
    const run = async () => await this.#run(connection, hosted, running);
    try {
      const result = await run().catch(async (error: unknown) => {
        // A call of another client may have ended the host. A list changes nothing, so the next host makes it.
        if (!work.instead || !(error instanceof HostEndedError)) throw error;
        return await run();
      });
      if (!work.answersByResult || isToolResult(result)) return result;
      throw new HostFailureError('it gave something that is not a result.');
    } catch (error) {
      return await answerHostFailure(work, error);
    }
  }

  /**
   * Runs a call. If its host did not begin the call, the next host gets it with the remaining time: at least half of its
   * limit.
   */
  async #run(connection: Connection, request: HostedRequest, running: ForwardedRequest): Promise<WireObject> {
    const attempt = async () => {
      const ready = this.#current?.isComposed && !this.#current.isOver ? this.#current : undefined;
      const generation =
        this.#hostOfTask(request.method, request.params) ?? ready ?? (await this.#composed());
      const number = this.#numberOf(connection);
      generation.tellUpstreamItems();
      generation.open(number, () => this.#describe(connection, number));
      return async (passedMs: number) => {
        const result = await generation.run(number, request, { ...running, passedMs });
        void this.#confirm(generation);
        if (result.resultType === 'task') await this.#loadTasks(connection.calls);
        return result;
      };
    };
    const { timeoutMs } = running;
    return await runUntilBegun(attempt, { timeoutMs, isClosed: () => this.#isClosed });
  }

  /** Sends the log level and the root of a connection to the host. */
  update(connection: Connection): void {
    const number = this.#numbers.get(connection);
    if (number !== undefined) this.#current?.update(number, connection);
  }

  forget(connection: Connection): void {
    const number = this.#numbers.get(connection);
    if (number === undefined || number === 0) return;
    this.#sessions.delete(number);
    this.#current?.forget(number);
    for (const generation of this.#retired) generation.forget(number);
  }

  /** Composes the server again before the next request. */
  recompose(): void {
    (this.#successor ? this.#successor.host : this.#current)?.recompose();
  }

  /** Resolves with false if the host does not answer. True without a host: the next call starts one. */
  async isWell(): Promise<boolean> {
    const generation = this.#current;
    return !generation || generation.isOver || (await generation.answers(wellMs));
  }

  /** Replaces the current host. Running calls finish on the old one. */
  replace(): void {
    this.#retire(this.#current);
    this.#current = undefined;
  }

  /**
   * Replaces the current host, which takes all calls until `renew` resolves. A new host describes modules for `renew` and
   * takes the later calls. If `renew` rejects, keeps the current host and rejects with the same error.
   */
  async swap(renew: () => Promise<void>, { hasSameCode = false }: Renewal = {}): Promise<void> {
    const [definitions, unconfirmed] = [this.#definitions, this.#unconfirmed];
    const [failures, described] = [this.#failures, this.#described];
    const successor: Successor = { host: undefined };
    this.#successor = successor;
    // The next composition adds the current ones.
    this.#definitions = new Map();
    this.#unconfirmed = new Map();
    if (this.#options.isEdited && !hasSameCode) {
      this.#failures = new Map();
      this.#described = new Map();
    }
    try {
      await renew();
    } catch (error) {
      this.#retire(successor.host);
      this.#definitions = definitions;
      this.#unconfirmed = unconfirmed;
      this.#failures = failures;
      this.#described = described;
      if (this.#current) this.#debug(this.#current);
      throw error;
    } finally {
      this.#successor = undefined;
    }
    this.#retire(this.#current);
    this.#current = successor.host;
    this.#spare = successor.host;
  }

  /** Starts the host and composes the server in it, so that the next call does not wait for it. Never rejects. */
  async warm(): Promise<void> {
    await this.#composed().catch(() => {});
    if (!this.#options.isEdited || this.#isClosed || this.#blank) return;
    this.#blank = await this.#open().catch(() => undefined);
  }

  /** Gives the debugger port to a host. */
  #debug(generation: Generation): void {
    const { debug } = this.#options;
    if (!debug || generation === this.#debugged) return;
    const isFirst = !this.#debugged;
    this.#debugged?.debug(null, { waits: false });
    this.#debugged = generation;
    generation.debug(debug.port, { waits: isFirst && debug.waits });
  }

  #takeBlank(): Generation | undefined {
    const blank = this.#blank;
    this.#blank = undefined;
    return blank?.isOver ? undefined : blank;
  }

  #retire(generation: Generation | undefined): void {
    if (generation === this.#spare) this.#spare = undefined;
    if (!generation || generation.isOver) return;
    this.#retired.add(generation);
    generation.retire(retireMs);
  }

  async placeKey(id: string): Promise<string> {
    return await (await this.#composed()).placeKey(id);
  }

  /** @throws ToolError */
  async place({ id, what, timeoutMs }: GivenPlace): Promise<unknown> {
    try {
      const { place, reason } = await (await this.#composed()).place(id, timeoutMs);
      if (typeof reason === 'string') throw new ToolError(reason);
      return place;
    } catch (error) {
      const words = describeHostFailure(what, error);
      throw words === undefined ? error : new ToolError(words);
    }
  }

  /** Runs the `initialize` hook of the server, then the hook of a tool. Returns the reason if it fails. Never rejects. */
  async initialize(tool: string | undefined, limitMs: number): Promise<HookOutcome> {
    try {
      const { reason, isLate } = await (await this.#composed()).initialize(tool, limitMs);
      return { reason: typeof reason === 'string' ? reason : undefined, isLate: isLate === true };
    } catch (error) {
      return { reason: describeHostFailure('It', error) ?? errorMessage(error), isLate: false };
    }
  }

  hasTask(id: unknown): boolean {
    return this.#tasks?.has(id) ?? false;
  }

  /** The host that runs a task, even if another host takes new calls. */
  #hostOfTask(method: string, { taskId }: WireObject): Generation | undefined {
    if (!method.startsWith('tasks/')) return undefined;
    const generation = this.#running.get(taskId as string)?.generation;
    return generation?.isOver ? undefined : generation;
  }

  async #loadTasks(calls: ServerRuntime): Promise<Tasks> {
    const { serverTasks } = await import('../tasks/tasks.js');
    this.#tasks ??= serverTasks(calls);
    return this.#tasks;
  }

  /** Keeps the outcome of a task. */
  #settleTask(taskId: string, description: WireObject): void {
    const running = this.#running.get(taskId);
    const { calls } = this.#options.live() ?? {};
    if (!running || !calls) return;
    this.#running.delete(taskId);
    const adopt = (tasks: Tasks) => tasks.adopt(description, running.auth);
    if (this.#tasks) adopt(this.#tasks);
    else void this.#loadTasks(calls).then(adopt);
  }

  /** Fails the tasks of a dead host. */
  #failTasks(generation: Generation, reason: string): void {
    for (const [taskId, { generation: host, handle, what }] of this.#running) {
      if (host !== generation) continue;
      const message = endedWords(what, reason);
      const { resultType: _, ...fields } = handle;
      const outcome = { status: 'failed', statusMessage: message, lastUpdatedAt: new Date().toISOString() };
      this.#settleTask(taskId, { ...fields, ...outcome, error: { code: ErrorNumber.Internal, message } });
    }
  }

  /** Ends the running tasks, within `limitMs`. */
  async endTasks(limitMs: number): Promise<void> {
    const all = [...this.#retired, ...(this.#current ? [this.#current] : [])];
    const hosts = all.filter(({ isComposed, isOver }) => isComposed && !isOver);
    await Promise.all(hosts.map(async (generation) => await generation.endTasks(limitMs)));
  }

  /** Ends all hosts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#loader.close();
    const others = [this.#current, this.#successor?.host, this.#blank].filter((one) => one !== undefined);
    const all = [...this.#retired, ...this.#lent.keys(), ...others];
    const ends = all.filter(({ isOver }) => !isOver).map((generation) => generation.close());
    const flush = this.#opening?.then((store) => store.flush());
    await Promise.all([...ends, flush]);
  }

  /** Undefined without records, and for a frozen server, which trusts only fingerprints. */
  async #openStore(): Promise<SurfaceStore | undefined> {
    const { hosted, isEdited } = this.#options;
    // Definitions in data files need no store.
    if (!hosted.frozen && !isEdited) this.#opening ??= openStore(hosted, this.#options.sandbox?.());
    return await this.#opening;
  }

  /** Loads a definition in a host and records the outcome. @throws Error with the reason why it is skipped */
  async #load({ file, relative }: DefinitionFile, store: SurfaceStore | undefined): Promise<PlainData> {
    const directory = stripRelativePath(file, relative);
    const loaded = await this.#loader.load({ file, relative });
    if ('failure' in loaded) {
      if (this.#isClosed) throw new Error(loaded.failure);
      this.#failures.set(file, loaded);
      if (loaded.isFatal) store?.addFailure(directory, relative, loaded);
      throw new Error(loaded.failure);
    }
    const { sent } = loaded;
    const described = readDescription(sent);
    if (described) {
      store?.add(directory, relative, sent);
      this.#described.set(file, described);
      return described;
    }
    const failed = failureIn(sent);
    const reason = failed?.failure ?? 'the extension host described it in an unknown form';
    this.#failures.set(file, { failure: reason, isFatal: !failed });
    if (failed) store?.addFailure(directory, relative, { ...failed, isFatal: false });
    throw new Error(reason);
  }

  /**
   * Schedules another load of a definition with a recorded failure. The failure may have a cause that no stamp shows.
   */
  #recheckLater(file: string, relative: string): void {
    if (this.#stale.size === 0) setTimeout(() => void this.#recheck(), recheckDelayMs).unref();
    this.#stale.set(file, relative);
  }

  async #recheck(): Promise<void> {
    if (this.#isClosed) return;
    const store = await this.#openStore();
    store?.stamp();
    const checks = [...this.#stale].map(async ([file, relative]) => {
      const known = this.#failures.get(file);
      const works = await this.#load({ file, relative }, store).then(
        () => true,
        () => false,
      );
      if (works) this.#failures.delete(file);
      return works || known?.failure !== this.#failures.get(file)?.failure;
    });
    const isChanged = (await Promise.all(checks)).includes(true);
    this.#stale.clear();
    if (isChanged && !this.#isClosed) await this.#options.onSurfaceChanged();
  }

  /** Excludes definitions that harmed their host after they were loaded. */
  async #leaveOut(files: readonly DefinitionFile[]): Promise<void> {
    const store = await this.#openStore();
    for (const { file, relative } of files) {
      const failed = { failure: 'it harmed its process after it was loaded', isFatal: true };
      this.#failures.set(file, failed);
      this.#described.delete(file);
      this.#unconfirmed.delete(file);
      store?.addFailure(stripRelativePath(file, relative), relative, failed);
    }
    const old = this.#current;
    this.replace();
    // The definitions may block its composition.
    if (old && !old.isComposed) old.kill('was replaced');
    await this.#options.onSurfaceChanged();
  }

  /** Returns a host for definitions. A host that serves calls is never lent: a definition could end the calls. */
  async #lend(wanted: WantedHost): Promise<Generation> {
    const spare = wanted.isFresh ? undefined : this.#takeSpare();
    const generation = spare && !spare.isOver ? spare : (this.#takeBlank() ?? (await this.#open()));
    if (!wanted.isTrial) this.#debug(generation);
    this.#lent.set(generation, wanted);
    const wasLocal = this.#isLocal;
    try {
      await generation.ready;
      return generation;
    } catch (error) {
      this.#lent.delete(generation);
      // The attempt has shown that no process can be started.
      if (this.#isLocal && !wasLocal) return await this.#lend(wanted);
      throw error;
    }
  }

  /** A host that has served no request: the one of the swap, or the current one. */
  #takeSpare(): Generation | undefined {
    if (this.#successor) {
      const { host } = this.#successor;
      this.#successor.host = undefined;
      return host;
    }
    const spare = this.#spare;
    if (spare) this.#current = undefined;
    this.#spare = undefined;
    return spare;
  }

  #takeBack(generation: Generation, isSound: boolean): void {
    // The death of a killed host is recorded when it is reported.
    if (generation.isOver) return;
    this.#lent.delete(generation);
    const isUsable = isSound && !generation.isRefusing;
    const successor = this.#successor;
    if (successor && !successor.host && isUsable && !this.#isClosed) {
      successor.host = generation;
      return;
    }
    if (!isUsable || this.#isClosed || (this.#current && !this.#current.isOver)) {
      this.#retired.add(generation);
      void generation.close();
      return;
    }
    this.#current = generation;
    this.#spare = generation;
  }

  /** Files that a host must not load during the composition of the server, each with the reason. */
  #excluded(): Readonly<Record<string, string>> {
    const fatal = [...this.#failures].filter(([, { isFatal }]) => isFatal);
    return Object.fromEntries([
      ...fatal.map(([file, { failure: reason }]) => [file, reason] as const),
      ...this.#loader.pending.map((file) => [file, 'it is still loading'] as const),
    ]);
  }

  /**
   * Describes modules with an unconfirmed record in a running host. Drops records that differ. Calls may have changed
   * the live definition, so the next start describes it again.
   */
  async #confirm(generation: Generation): Promise<void> {
    if (this.#isConfirming || this.#unconfirmed.size === 0) return;
    this.#isConfirming = true;
    const changed: string[] = [];
    const store = await this.#opening;
    try {
      for (const [file, relative] of this.#unconfirmed) {
        const directory = stripRelativePath(file, relative);
        const sent = await generation.describe(file, relative);
        this.#unconfirmed.delete(file);
        this.#confirmed.add(file);
        if (store?.isRecordOf(directory, relative, sent)) continue;
        store?.drop(directory, relative);
        this.#failures.delete(file);
        changed.push(relative);
      }
    } catch {
      // The host has ended. The next one continues.
    } finally {
      this.#isConfirming = false;
    }
    if (changed.length === 0 || this.#isClosed) return;
    const names = changed.slice(0, 3).join(', ');
    await this.#options.onSurfaceChanged();
    this.#options.report(`Recorded definitions were out of date: ${names}. The lists are updated.`);
  }

  /** Returns a host that has composed the server. If a host dies during the composition, the next one takes over. */
  async #composed(): Promise<Generation> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#searched();
        const generation = await this.#ready();
        if (!generation.isComposed) generation.exclude(this.#excluded(), this.#hookFaults.leftOut);
        await generation.compose(this.#packages());
        if (generation === this.#current && !generation.isOver) return generation;
      } catch (error) {
        if (!(error instanceof HostEndedError) || attempt === maxDescribeAttempts) throw error;
      }
    }
  }

  /** Folders of the served added packages, by name. @throws HostFailureError if a folder is gone */
  #packages(): ReadonlyMap<string, string> {
    const packages = this.#options.live()?.packages ?? new Map<string, string>();
    for (const [name, directory] of packages) {
      if (existsSync(directory)) continue;
      const reason = `The folder of ${name} is gone: ${directory}. Start the server again.`;
      reportOnce(this.#options, reason);
      throw new HostFailureError(reason);
    }
    return packages;
  }

  async #ready(): Promise<Generation> {
    const { waitMs } = this.#restarts;
    if (waitMs > 0 && (!this.#current || this.#current.isOver)) await sleep(waitMs);
    while (!this.#current || this.#current.isOver) {
      this.#starting ??= this.#startCurrent().finally(() => {
        this.#starting = undefined;
      });
      await this.#starting;
    }
    const generation = this.#current;
    this.#spare = undefined;
    await generation.ready;
    return generation;
  }

  async #startCurrent(): Promise<void> {
    const opened = this.#takeBlank() ?? (await this.#open());
    this.#restarts.recordStart();
    // The loader may have returned a host during the start.
    if (!this.#current || this.#current.isOver) {
      this.#current = opened;
      this.#debug(opened);
    } else void opened.close();
  }

  async #open(): Promise<Generation> {
    // Lists need no host.
    const [{ Generation }, Link] = await Promise.all([import('./host-generation.js'), this.#link()]);
    if (this.#isClosed) throw new HostEndedError('was ended');
    return this.#start(Generation, Link);
  }

  /** Waits for the search for harmful definitions. */
  async #searched(): Promise<void> {
    const timer = new AbortController();
    const late = sleep(searchWaitMs, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([this.#loader.cleared(), late]);
    timer.abort();
  }

  async #link(): Promise<HostLinkClass> {
    if (this.#isLocal) return (await import('./local-host.js')).LocalHost;
    return (await import('./host-process.js')).HostProcess;
  }

  #start(HostGeneration: typeof Generation, Link: HostLinkClass): Generation {
    const { stderr, announce, report } = this.#options;
    const sandbox = this.#options.sandbox?.();
    return new HostGeneration({
      sandbox,
      isDebugged: this.#options.debug !== undefined,
      link: (options) => new Link(options),
      report,
      entry: hostEntry(),
      hosted: sandboxed(this.#options.hosted, sandbox),
      usualChanges: [...this.#changes],
      stderr,
      upstreams: () => this.#upstreams(),
      onListChanged: (kind) => announce(listEvent(kind)),
      onResourceUpdated: (uri) => announce({ kind: 'resource_updated', uri }),
      onSession: (number, key, text) => this.#keep(number, key, text),
      onChanged: (changes, isUsual, generation) => this.#noteChanges(changes, isUsual, generation),
      onTask: (handle, { what, auth }, generation) =>
        this.#running.set(String(handle.taskId), { handle, what, auth, generation }),
      onTaskEnd: (taskId, description) => this.#settleTask(taskId, description),
      onDeath: (death, generation) => this.#noteDeath(death, generation),
      onHookEnd: (hook) => this.#hookFaults.clear(hook),
    });
  }

  #upstreams(): ServedUpstreams | undefined {
    const { upstreams: hub, current: server } = this.#options.live() ?? {};
    return hub && server && { hub, server };
  }

  /**
   * Handles changes of shared objects. If the next host repeats a change, it is a habit of the extension, and a third
   * host would not help.
   */
  #noteChanges(changes: readonly string[], isUsual: boolean, generation: Generation): void {
    const [first = ''] = changes;
    if (isUsual) {
      if (this.#usual.has(first) || this.#usual.size >= maxChanges) return;
      this.#usual.add(first);
      this.#options.report(
        `Code of the extension changes what all code shares in each host: ${first}. Calls that do so no longer lead to a new host.`,
      );
      return;
    }
    const lent = this.#lent.get(generation);
    if (lent ? lent.isTrial : generation !== this.#current) return;
    // Leftover code of a module repeats the change in each host.
    if (generation.answered === 0 && generation.isTampered && this.#changes.has(first)) {
      this.#suspectDefinitions(generation);
    }
    const isRepeated = this.#changes.has(first);
    for (const change of changes) if (this.#changes.size < maxChanges) this.#changes.add(change);
    reportOnce(
      this.#options,
      isRepeated
        ? `Code of the extension changes what all code shares in each host: ${first}. Each change leads to a new host, which makes calls slow. Find the code that runs on after its call, such as a timer.`
        : `Code of the extension changed what all code shares: ${first}. A new host takes the next call.`,
    );
    // A host that loads definitions is replaced when the loader returns it.
    if (!lent) this.replace();
  }

  #noteDeath({ kind, reason }: HostDeath, generation: Generation): void {
    if (generation === this.#blank) {
      this.#blank = undefined;
      return;
    }
    this.#failTasks(generation, reason);
    if (this.#retired.delete(generation) || this.#isClosed) return;
    // Code that belongs in a sandbox never runs in this process.
    if (kind === 'unstartable' && !this.#isLocal && !this.#options.sandbox?.()) {
      this.#isLocal = true;
      this.#options.report(`The extension host ${reason}. Code of the extension runs in this process.`);
      return;
    }
    const lent = this.#lent.get(generation);
    if (lent) {
      this.#lent.delete(generation);
      if (!lent.isTrial) this.#options.report(`The extension host ${reason} while it loaded definitions.`);
      return;
    }
    const { loading, running, answered } = generation;
    this.#restarts.recordDeath(answered);
    const lost = running.length > 0 ? ` Calls that ended with it: ${running.slice(0, 3).join(', ')}.` : '';
    this.#options.report(`The extension host ${reason}.${lost} The next call starts a new one.`);
    const hook = [...generation.hooks.keys()].at(-1);
    if (hook !== undefined && this.#hookFaults.record(hook, reason, running.length === 1)) {
      this.#options.report(
        `The hook "${hook}" is left out for 5 minutes, since the extension host ${reason}.`,
      );
      return;
    }
    const file = [...loading].at(-1);
    if (file === undefined) this.#suspectDefinitions(generation);
    else if (this.#definitions.size === 1 || this.#lastLoading.has(file)) {
      this.#failures.set(file, { failure: `the process that loaded it ${reason}`, isFatal: true });
    } else {
      // A definition that was loaded before may be guilty.
      this.#lastLoading.add(file);
      this.#search(performance.now() - generation.since);
    }
  }

  /**
   * Searches for definitions that harm a host some time after loading, if a host ended soon after loading. A host that
   * has begun calls probably ended because of them, and calls would wait for the search.
   */
  #suspectDefinitions({ composedAt, answered, running }: Generation): void {
    const ageMs = performance.now() - (composedAt ?? performance.now());
    this.#earlyDeaths = ageMs < early.repeatedly ? this.#earlyDeaths + 1 : 0;
    const isFirstSuspicious = ageMs < early.once && answered === 0 && running.length === 0;
    const isSuspicious = this.#earlyDeaths > (isFirstSuspicious ? 0 : 1);
    if (!isSuspicious || this.#earlyDeaths < this.#searchAfter - 1) return;
    // Make fruitless searches rare.
    this.#searchAfter = Math.max(2, 2 * this.#earlyDeaths + 1);
    this.#search(ageMs);
  }

  #search(ageMs: number): void {
    const files = [...this.#definitions].map(([file, relative]) => ({ file, relative }));
    const sound = files.filter(({ file }) => !this.#failures.get(file));
    this.#loader.suspect(sound, ageMs);
  }

  /** Number of a connection. All requests of 2026-07-28 share number 0, since each of them identifies its client. */
  #numberOf(connection: Connection): number {
    if (connection.era === 'modern') return 0;
    const known = this.#numbers.get(connection);
    if (known !== undefined) return known;
    this.#lastNumber += 1;
    this.#numbers.set(connection, this.#lastNumber);
    return this.#lastNumber;
  }

  #describe({ peer, root, logLevel }: Connection, number: number): HostedConnection {
    const session = Object.fromEntries(this.#sessions.get(number) ?? []);
    return { version: peer.version, client: peer.client, root, logLevel, session };
  }

  #keep(number: number, key: string, text: string | undefined): void {
    const texts = this.#sessions.get(number) ?? new Map();
    this.#sessions.set(number, texts);
    if (text === undefined) texts.delete(key);
    else texts.set(key, text);
  }
}

function stripRelativePath(file: string, relative: string): string {
  return file.slice(0, -relative.length - 1);
}

/** The reason for a failed load, if the host has sent one, and the variables that the module has read. */
function failureIn(sent: unknown): { readonly failure: string; readonly env: unknown } | undefined {
  if (!isRecord(sent) || typeof sent.failure !== 'string') return undefined;
  return { failure: sent.failure, env: sent.env ?? null };
}

/** The server with the variables that its sandbox permits, and the ones that AgentTools reads. */
function sandboxed(hosted: HostedServer, sandbox: Sandbox | undefined): HostedServer {
  if (!sandbox) return hosted;
  const own = Object.entries(hosted.env).filter(([name]) => ownVariables.includes(name));
  // The sandbox hides the npm settings of the user, which name the folder of global packages.
  const prefix = path.dirname(path.dirname(workspaceFolders(hosted).globalFolder));
  const env = { ...Object.fromEntries(own), ...sandbox.environment(hosted.env), npm_config_prefix: prefix };
  return { ...hosted, env };
}

/** Variables that the host reads itself. They have settings of the server, and names of folders. */
const ownVariables: readonly string[] = [
  'AGENTTOOLS_EXPOSE_ERRORS',
  'AGENTTOOLS_HOME',
  'MCP_APPS_ENABLED',
  'MCP_SERVER_NAME',
  'MCP_TOOL_LIST',
  'MCP_TOOL_OPTIONS',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
];

async function openStore(
  hosted: HostClientOptions['hosted'],
  sandbox: Sandbox | undefined,
): Promise<SurfaceStore> {
  const { SurfaceStore } = await import('./surface-store.js');
  const { cwd, env, platform } = hosted;
  const entry = hostEntry();
  const { mtimeMs, size } = statSync(entry, { throwIfNoEntry: false }) ?? {};
  return new SurfaceStore({
    folder: path.join(workspaceFolders(hosted).cacheFolder, 'surfaces'),
    context: [
      packageVersion(),
      process.version,
      process.arch,
      platform,
      cwd,
      entry,
      `${mtimeMs} ${size}`,
      ...(sandbox ? [sandbox.key] : []),
    ],
    env,
    platform,
  });
}

/** The verified state of a request. @throws ProtocolError if the state was made for another request */
async function verifyRequestState(
  connection: Connection,
  request: RequestContext,
  subject: RequestIdentity | undefined,
): Promise<ReplayState | undefined> {
  if (!subject || connection.era !== 'modern' || request.requestState === undefined) return undefined;
  const { readState } = await import('../interaction/replay-state.js');
  return await readState({ connection, request, subject }, request.requestState);
}

function toForwardedRequest(
  connection: Connection,
  request: RequestContext,
  work: HostedWork,
): ForwardedRequest {
  const { what, timeoutMs, subject } = work;
  return {
    what,
    timeoutMs,
    passedMs: 0,
    onAbort: (listener) => request.onAbort(listener),
    notify: (method, params) => void request.notify({ method, params }).catch(() => {}),
    ask: async (asked, limits) => await request.ask(asked, limits),
    seal: async (remembered) => {
      const { isRemembered, writeState } = await import('../interaction/replay-state.js');
      if (!subject || !isRemembered(remembered)) throw new TypeError('The state of the call is unreadable.');
      return await writeState({ connection, request, subject }, remembered);
    },
    closeStream: () => request.closeStream(),
    auth: request.auth,
    asker: (wantsProgress) => ({ ...requesterInfo(connection, request, 0), wantsProgress }),
  };
}

/** True for a tool result, a task handle, and input requests. */
function isToolResult({ resultType, content }: WireObject): boolean {
  return Array.isArray(content) || (resultType !== undefined && resultType !== 'complete');
}

/** Answer to work that the host did not finish. @throws ProtocolError if no result can carry the message */
async function answerHostFailure(
  { what, answersByResult, instead }: HostedWork,
  error: unknown,
): Promise<WireObject> {
  const words = describeHostFailure(what, error);
  if (words === undefined) throw error;
  if (instead) return await instead();
  if (answersByResult) return { ...failure(words) };
  throw new ProtocolError(ErrorNumber.Internal, words);
}

function describeHostFailure(what: string, error: unknown): string | undefined {
  if (error instanceof HostTimeoutError) return `${what} ${error.message}.`;
  if (error instanceof HostFailureError) return `${what} failed in the extension host: ${error.message}`;
  if (error instanceof HostEndedError) return endedWords(what, error.message);
  return undefined;
}

function endedWords(what: string, reason: string): string {
  return `${what} ended with the extension host, which ${reason}.`;
}

/** Path of the host program: next to this file in the bundle; from source, in the last build. */
function hostEntry(): string {
  const beside = fileURLToPath(new URL('./extension-host.js', import.meta.url));
  return existsSync(beside) ? beside : path.join(packageRoot(), 'dist', 'extension-host.js');
}
