import type { JsonObject } from '../protocol/envelope.js';
import type { Context, ListedKind, LogLevel } from '../runtime/context.js';
import type { ToolResult } from '../runtime/result-builders.js';
import { FakeUser, type Question, type UserScript } from './fake-user.js';

export interface TestContextOptions extends UserScript {
  /** Options of the tool. */
  readonly options?: JsonObject;
  readonly client?: { readonly name?: string; readonly version?: string; readonly capabilities?: JsonObject };
  /** True if the client shows UI apps. Default: false. */
  readonly ui?: boolean;
  /** Time limit of the tool, in milliseconds of {@link TestContext.clock}. Default: no limit. */
  readonly timeoutMs?: number;
  /** Values of the session. Default: an empty session. Null: no session, as on 2026-07-28. */
  readonly session?: Readonly<Record<string, unknown>> | null;
  readonly root?: string;
  readonly auth?: JsonObject;
  readonly meta?: JsonObject;
  readonly protocolVersion?: string;
  /** Name of the tool. Default: `tool`. */
  readonly tool?: string;
  /** Answers calls of other tools. Default: they fail. */
  readonly callTool?: (name: string, args: JsonObject) => ToolResult | Promise<ToolResult>;
}

/** Everything that a handler did with its context, in order. */
export interface ContextRecords {
  readonly progress: readonly {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }[];
  readonly logs: readonly { readonly level: LogLevel; readonly data: unknown }[];
  readonly questions: readonly Question[];
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** Kinds of lists that changed. */
  readonly changed: readonly ListedKind[];
  /** URIs of resources that changed. */
  readonly updated: readonly string[];
}

/** A clock that only the test moves. */
export interface TestClock {
  /** Milliseconds since the start. */
  readonly now: number;
  /** Moves the clock. Aborts `ctx.signal` when the time limit of the tool is reached. */
  advance(ms: number): void;
}

/** A context for a handler that runs without a server. */
export interface TestContext extends Context {
  readonly records: ContextRecords;
  /** Controls the time limit of the tool, and nothing else: not `Date`, `setTimeout` or the time of a server. */
  readonly clock: TestClock;
  /** Aborts `ctx.signal`, as a client does that cancels the call. */
  cancel(): void;
}

/** Creates a context for a unit test of a handler. Questions get the answers of the options, in order. */
export function createTestContext(options: TestContextOptions = {}): TestContext {
  const { client = {}, ui = false, timeoutMs = Number.POSITIVE_INFINITY, tool = 'tool', callTool } = options;
  const user = new FakeUser(options);
  const capabilities: JsonObject = { ...user.capabilities, ...client.capabilities };
  const controller = new AbortController();
  const records = {
    progress: [] as { progress: number; total?: number; message?: string }[],
    logs: [] as { level: LogLevel; data: unknown }[],
    questions: user.questions,
    calls: [] as { name: string; arguments: JsonObject }[],
    changed: [] as ListedKind[],
    updated: [] as string[],
  };
  let now = 0;
  const clock: TestClock = {
    get now() {
      return now;
    },
    advance(ms) {
      now += ms;
      if (now >= timeoutMs)
        controller.abort(new Error(`The tool did not finish within ${timeoutMs / 1000} s.`));
    },
  };
  const can = (capability: string) =>
    capability
      .split('.')
      .reduce<unknown>((held, key) => (held as JsonObject | undefined)?.[key], capabilities) !== undefined;
  /** @throws Error without the capability, without an answer, or for an unexpected question */
  const ask = (capability: string, answer: () => JsonObject): JsonObject => {
    if (!can(capability)) throw new Error(`The client of this test has no capability "${capability}".`);
    const given = answer();
    const [fault] = user.faults;
    if (fault !== undefined) throw new Error(fault);
    return given;
  };
  const log = (level: LogLevel) => (data: unknown) => void records.logs.push({ level, data });
  const steps = new Map<string, Promise<unknown>>();
  const values = new Map(Object.entries(options.session ?? {}));
  const session = {
    get: (key: string) => structuredClone(values.get(key)),
    set: (key: string, value: unknown) =>
      void (value === undefined ? values.delete(key) : values.set(key, structuredClone(value))),
  };
  return {
    records,
    clock,
    cancel: () => controller.abort(),
    signal: controller.signal,
    progress: (progress, more = {}) => void records.progress.push({ progress, ...more }),
    log: {
      debug: log('debug'),
      info: log('info'),
      notice: log('notice'),
      warning: log('warning'),
      error: log('error'),
    },
    options: options.options ?? {},
    client: { name: client.name ?? 'agenttools-test', version: client.version ?? '1.0.0', capabilities },
    can,
    ui,
    registry: { list: () => ({ items: [] }), resolve: () => undefined, shown: async () => [] },
    callTool: async (name, args = {}) => {
      records.calls.push({ name, arguments: args });
      if (!callTool) throw new Error(`The test has no answer for a call of "${name}". Give "callTool".`);
      return await callTool(name, args);
    },
    elicit: async (message, schema) =>
      ask('elicitation', () => user.elicit({ message, requestedSchema: schema })) as never,
    elicitUrl: async (message, url) =>
      ask('elicitation', () => user.elicit({ mode: 'url', message, url })) as never,
    step: async (key, work) => {
      const known = steps.get(key) ?? Promise.resolve(work());
      steps.set(key, known);
      return (await known) as never;
    },
    sample: async (params) => ask('sampling', () => user.sample(params)),
    roots: async () => ask('roots', () => user.listRoots()).roots as never,
    root: options.root,
    session: options.session === null ? undefined : session,
    auth: options.auth,
    meta: options.meta ?? {},
    notifyChanged: (kind) => void records.changed.push(kind),
    notifyResourceUpdated: (uri) => void records.updated.push(uri),
    closeStream: () => {},
    beginTask: () => {},
    locals: {},
    protocolVersion: options.protocolVersion ?? '2025-11-25',
    requestId: 1,
    server: { name: 'test', version: '1.0.0' },
    tool: { name: tool },
  };
}
