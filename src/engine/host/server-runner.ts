import { setTimeout as sleep } from 'node:timers/promises';
import { restoreBuiltIns } from '../base/code-boundary.js';
import { InFlightMap } from '../base/in-flight-map.js';
import { plainData } from '../base/plain-data.js';
import { errorMessage } from '../base/thrown-value.js';
import { importDefault, type LoadCode } from '../extension/extension.js';
import { contextMaker } from '../interaction/handler-context.js';
import { serverCapabilities } from '../live/capabilities.js';
import type { Connection } from '../live/connection.js';
import { type ComposedServer, LiveServer } from '../live/live-server.js';
import { openSession } from '../live/session.js';
import { allowsUi } from '../live/ui-capability.js';
import { answerMethod, findMethod } from '../methods/methods.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { Era } from '../protocol/eras.js';
import { eventListKind } from '../protocol/subscriptions.js';
import type { HookWatch } from '../runtime/hook-watch.js';
import { InitializeError, Initializers } from '../runtime/initialize.js';
import { ToolError } from '../runtime/result-builders.js';
import { type CallDeadline, TimeoutError, withTimeLimit } from '../runtime/time-limit.js';
import { parseToolOptions } from '../runtime/tool-options.js';
import type { GivenPlace } from '../runtime/upstream.js';
import { usedUpstreams } from '../runtime/used-upstreams.js';
import { createAnnouncer } from '../server/announcer.js';
import type { RunningServer } from '../server/running-server.js';
import { createServerResolver, type ServerResolver } from '../server/server-resolver.js';
import { describeModule } from './describe-module.js';
import { EnvReads } from './env-reads.js';
import type {
  DescribedModule,
  Excluded,
  FromHost,
  HostedConnection,
  HostedServer,
  ToHost,
} from './host-messages.js';
import { HostedHooks } from './hosted-hooks.js';
import { FrontRequests, RemoteRequest } from './remote-request.js';
import type { RemoteUpstreams } from './remote-upstreams.js';
import type { ThreadPool } from './thread-pool.js';

export interface RunnerOptions {
  readonly send: (message: FromHost) => void;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Undefined if the host cannot be replaced. */
  readonly threadPool?: ThreadPool | undefined;
}

/** Longest time that a loading module delays the next one, in milliseconds. */
const turnMs = 250;

/** Kept before extension code loads, which may replace the export. */
const pause = sleep;

/** Number of the connection that all requests of 2026-07-28 share. */
const modern = 0;

/** Runs one server in the extension host: loads its modules and answers the requests that the front forwards. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #hosted: HostedServer;
  readonly #resolve: Promise<ServerResolver>;
  #excluded: Excluded = {};
  #packages: ReadonlyMap<string, string> = new Map();
  #hooks: HostedHooks;
  readonly #questions: FrontRequests;
  readonly #connections = new Map<number, Connection>();
  readonly #requests = new InFlightMap<number, RemoteRequest>();
  readonly #ending = new AbortController();
  readonly #watch: HookWatch;
  readonly #envReads = new EnvReads();
  #served: (RunningServer & { readonly live: LiveServer<RemoteUpstreams> }) | undefined;
  /** The last composition. Only one runs at a time: two at the start would open two live servers. */
  #composing: Promise<unknown> = Promise.resolve();
  /**
   * Resolves when the next module may begin to load. Only one begins at a time, so the last one to begin is the one that
   * harms the process.
   */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(hosted: HostedServer, options: RunnerOptions) {
    this.#hosted = hosted;
    this.#options = options;
    this.#questions = new FrontRequests(options.send);
    this.#hooks = new HostedHooks({}, options.send);
    this.#watch = { enter: (hook, limitMs) => this.#hooks.enter(hook, limitMs) };
    const { server, project, frozen, cwd, env, home, platform } = hosted;
    this.#resolve = createServerResolver(
      { server, project, strict: false, ...(frozen && { checkDrift: createDriftCheck(hosted) }) },
      // The front has already reported skipped items.
      {
        host: { cwd, env, home, platform },
        report: () => {},
        loadCode: this.#loadCode,
        pinned: (name) => this.#packages.get(name),
      },
    );
    this.#resolve.catch(() => {});
  }

  /** Describes a module for the front. */
  async describe(file: string): Promise<DescribedModule> {
    const described = await this.#load(file, () => describeModule(file)).catch((error: unknown) => ({
      failure: errorMessage(error),
    }));
    return { ...described, env: this.#envReads.names ?? null };
  }

  /** Excludes modules and hooks. The server must be composed again afterwards. */
  exclude(excluded: Excluded, hooks: Excluded): void {
    this.#excluded = excluded;
    this.#hooks = new HostedHooks(hooks, this.#options.send);
  }

  /** Composes the server after running compositions have ended. Composes it again if an earlier one succeeded. */
  async compose(packages: Readonly<Record<string, string>>): Promise<JsonObject> {
    const composing = this.#composing.then(async () => await this.#compose(packages));
    this.#composing = composing.catch(() => {});
    return await composing;
  }

  async #compose(packages: Readonly<Record<string, string>>): Promise<JsonObject> {
    this.#packages = new Map(Object.entries(packages));
    if (this.#served) {
      await this.#served.live.recompose();
      return {};
    }
    const { report, send } = this.#options;
    const resolve = await this.#resolve;
    const compose = async () => await resolve({ reportsMissing: false });
    const { env } = this.#hosted;
    const first = await compose();
    const { frozen } = this.#hosted;
    const gate = frozen && (await openFrozenGate(first, frozen, this.#hosted));
    const live = await LiveServer.open<RemoteUpstreams>({
      ...first,
      gate,
      compose,
      initializers: new Initializers(this.#ending.signal, this.#watch),
      env,
      report,
      isSilent: true,
      openUpstreams: async ({ refresh }) => {
        // Few servers have upstream servers.
        const { RemoteUpstreams } = await import('./remote-upstreams.js');
        return new RemoteUpstreams({ send, questions: this.#questions, onItems: refresh });
      },
    });
    live.onChange((change) => {
      const kind = eventListKind(change);
      if (kind) send({ type: 'list-changed', kind });
      else if (change.kind === 'resource_updated') send({ type: 'resource-updated', uri: change.uri });
    });
    this.#served = { live, toolOptions: parseToolOptions(env.MCP_TOOL_OPTIONS, () => {}) };
    this.#connections.set(modern, this.#connection('modern', modern, noConnection));
    return {};
  }

  /**
   * Runs the function that finds an upstream endpoint. Returns `{ place }`, or `{ reason }` if the function fails.
   * @throws ToolError if the definition has changed
   */
  async place(id: string): Promise<JsonObject> {
    const given = this.#givenPlaces().find(({ given }) => given.id === id)?.given;
    if (!given) throw new ToolError('The definition of the upstream server has changed. Try again.');
    const { env } = this.#hosted;
    const { timeoutMs } = given;
    const signal = this.#ending.signal;
    try {
      const place = await withTimeLimit(async () => await given.find(env), { timeoutMs, signal });
      return { place: plainData(place).value ?? null };
    } catch (error) {
      return {
        reason: error instanceof TimeoutError ? `${given.what} gave ${error.message}` : errorMessage(error),
      };
    }
  }

  /** Returns the id of the first upstream endpoint with the same function. */
  async placeKey(id: string): Promise<JsonObject> {
    const all = this.#givenPlaces();
    const key = all.find(({ given }) => given.id === id)?.key;
    return { id: all.find((one) => one.key === key)?.given.id ?? id };
  }

  #givenPlaces(): readonly { readonly key: string; readonly given: GivenPlace }[] {
    return usedUpstreams(this.#served!.live.composed).flatMap(({ key, given }) =>
      given ? [{ key, given }] : [],
    );
  }

  takeFromUpstream(
    message: Extract<
      ToHost,
      { type: 'upstream-items' | 'upstream-ask' | 'upstream-progress' | 'upstream-log' }
    >,
  ): void {
    const upstreams = this.#served?.live.upstreams;
    if (!upstreams) return;
    switch (message.type) {
      case 'upstream-items':
        upstreams.takeLists(message);
        return;
      case 'upstream-ask':
        void upstreams.takeQuestion(message);
        return;
      case 'upstream-progress':
        upstreams.takeProgress(message);
        return;
      case 'upstream-log':
        upstreams.takeLog(message);
    }
  }

  open(number: number, opened: HostedConnection): void {
    if (number !== modern) this.#connections.set(number, this.#connection('legacy', number, opened));
  }

  update(number: number, { root, logLevel }: Pick<HostedConnection, 'root' | 'logLevel'>): void {
    const connection = this.#connections.get(number);
    if (connection) Object.assign(connection, { root, logLevel });
  }

  close(number: number): void {
    this.#connections.delete(number);
  }

  /** Answers a request of the front. @throws ProtocolError */
  async run({
    call,
    connection: number,
    request,
  }: Extract<ToHost, { type: 'request' }>): Promise<JsonObject> {
    const connection = this.#connections.get(number);
    const row = connection && findMethod(request.method, connection.era);
    if (!row)
      throw new Error(
        `Cannot answer ${request.method} on connection ${number}: the connection or the method is unknown.`,
      );
    const { send } = this.#options;
    const remote = new RemoteRequest(call, request, { send, questions: this.#questions });
    this.#requests.set(call, remote);
    try {
      const result = await answerMethod(row.handler, connection, request.params, remote);
      if (result.resultType === 'task') await this.#watchTask(call, connection, result);
      return result;
    } finally {
      this.#requests.delete(call);
    }
  }

  /** Reports the outcome of a task to the front, which keeps it. */
  async #watchTask(call: number, { calls }: Connection, { taskId }: JsonObject): Promise<void> {
    const { send } = this.#options;
    const { serverTasks } = await import('../tasks/tasks.js');
    serverTasks(calls).release(taskId, (task) => {
      try {
        send({ type: 'task-ended', call, task });
      } catch (error) {
        const { result: _, ...rest } = task;
        const message = errorMessage(error);
        const failed = { status: 'failed', statusMessage: message, error: { code: -32603, message } };
        send({ type: 'task-ended', call, task: { ...rest, ...failed } });
      }
    });
  }

  cancel(call: number, reason: string): void {
    this.#requests.get(call)?.abort(reason);
  }

  settle(message: Extract<ToHost, { type: 'answer' | 'failure' }>): void {
    this.#questions.take(message);
  }

  /** Runs `initialize` hooks. Returns `{ reason, isLate }` if one fails or takes too long, else `{}`. */
  async initialize({
    call,
    tool: name,
    limitMs: timeoutMs,
  }: Extract<ToHost, { type: 'initialize' }>): Promise<JsonObject> {
    const { calls } = this.#served!.live;
    const { send } = this.#options;
    const tool = name === undefined ? undefined : calls.server.registry.resolve('tools', name);
    const request = { id: call, method: 'tools/call', params: {} };
    const remote = new RemoteRequest(call, request, { send, questions: this.#questions });
    const makeContext = contextMaker(this.#connections.get(modern)!, remote);
    const hooks = { server: calls.server.initialize, tool: tool?.initialize };
    try {
      const run = async (limit: CallDeadline) =>
        await calls.initializers.ready(hooks, makeContext(limit, tool));
      await withTimeLimit(run, { timeoutMs, signal: this.#ending.signal });
      return {};
    } catch (error) {
      const cause = error instanceof InitializeError ? error.cause : error;
      return { reason: errorMessage(cause), isLate: error instanceof TimeoutError };
    }
  }

  /** Cancels tasks and waits until they have ended. */
  async endTasks(limitMs: number): Promise<JsonObject> {
    const { calls } = this.#served?.live ?? {};
    if (calls?.server.registry.all('tools').some(({ task }) => task)) {
      const { serverTasks } = await import('../tasks/tasks.js');
      await serverTasks(calls).end(limitMs);
    }
    return {};
  }

  /** Aborts all requests and tasks. */
  end(): void {
    this.#ending.abort();
    void this.endTasks(0);
    for (const request of this.#requests.values()) request.abort('The server ends.');
  }

  readonly #loadCode: LoadCode = async (file, relative) =>
    await this.#load(file, () => importDefault(file, relative));

  async #load<T>(file: string, load: () => Promise<T>): Promise<T> {
    const reason = Object.hasOwn(this.#excluded, file) ? this.#excluded[file] : undefined;
    if (reason !== undefined) throw new Error(reason);
    const { send, threadPool } = this.#options;
    const turn = this.#turn;
    const run = async () => {
      await turn;
      send({ type: 'loading', file });
      try {
        const loaded = await this.#envReads.during(load);
        if (threadPool && !(await threadPool.isUsable()))
          send({ type: 'broken', change: 'has a module that fills all threads for files and names' });
        // Code that the module left behind may have run during the wait.
        restoreBuiltIns();
        return loaded;
      } finally {
        send({ type: 'loaded', file });
      }
    };
    const loading = run();
    // A module that waits for something does not block others.
    this.#turn = Promise.race([loading.catch(() => {}), turn.then(() => pause(turnMs))]);
    return await loading;
  }

  #connection(era: Era, number: number, opened: HostedConnection): Connection {
    const { live, toolOptions } = this.#served!;
    const { calls } = live;
    const { version, client, root, logLevel, session } = opened;
    const { send } = this.#options;
    const withUi = allowsUi(calls.env) && calls.server.hasUi;
    const capabilities = serverCapabilities(live, { era, withUi });
    const connection: Connection = {
      era,
      peer: { version, client },
      calls,
      live,
      toolOptions,
      shown: async (request, query) => {
        const { listShownItems } = await import('../methods/shown-items.js');
        return await listShownItems({ connection, request }, query);
      },
      announce: createAnnouncer(live, (kind) => capabilities[kind]?.listChanged === true),
      session:
        era === 'modern'
          ? undefined
          : openSession(session, (key, text) =>
              send({ type: 'session', connection: number, key, ...(text !== undefined && { text }) }),
            ),
      states: {
        // The front has verified the state.
        read: async (_, state) => state as never,
        write: async ({ request }, remembered) => await (request as RemoteRequest).seal(remembered),
      },
      hooks: this.#watch,
      subscribed: new Map(),
      roots: undefined,
      root,
      logLevel,
    };
    return connection;
  }
}

const noConnection: HostedConnection = {
  version: '2026-07-28',
  client: undefined,
  root: undefined,
  logLevel: 'info',
  session: {},
};

/** Handlers see the same items as clients. The front reports the refused ones. */
async function openFrozenGate(composed: ComposedServer, frozen: 'item' | 'server', hosted: HostedServer) {
  const [{ openGate }, { workspaceFolders }] = await Promise.all([
    import('../surface/open-gate.js'),
    import('../base/folders.js'),
  ]);
  const { dataFolder } = workspaceFolders(hosted);
  return await openGate(composed, { frozen, dataFolder, report: () => {} });
}

/** Returns the check of a frozen server. Loads its code on first use, since few servers are frozen. */
function createDriftCheck(hosted: HostedServer) {
  return async (extensions: readonly import('../extension/extension.js').Extension[]) => {
    const [{ describeDrift }, { workspaceFolders }] = await Promise.all([
      import('../packages/drift.js'),
      import('../base/folders.js'),
    ]);
    return await describeDrift(extensions, workspaceFolders(hosted));
  };
}
