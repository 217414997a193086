import type { LoadCode } from '../../src/engine/extension/extension.js';
import { LiveServer } from '../../src/engine/live/live-server.js';
import type { Era } from '../../src/engine/protocol/eras.js';
import { composeServer, type ServerSpec, type ToolList } from '../../src/engine/runtime/compose-server.js';
import { parseToolOptions } from '../../src/engine/runtime/tool-options.js';
import { StdioChannel } from '../../src/engine/serve/stdio/stdio-channel.js';
import { adaptationOf } from '../../src/engine/server/adaptation-of.js';
import { createServer, type RunningServer } from '../../src/engine/server/running-server.js';
import { type Files, openWorkspace, writePackage } from './packages.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Message = any;

/** A composed server and what it told stderr. */
export interface Composed {
  readonly directory: string;
  readonly spec: ServerSpec;
  readonly served: RunningServer;
  readonly reports: string[];
}

export interface ComposeOptions {
  readonly toolOptions?: unknown;
  readonly loadCode?: LoadCode;
  /** The bundled extensions; none when absent. */
  readonly builtinFolder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the user wants to be listed. */
  readonly toolList?: ToolList;
}

/** Composes the one server of a package, or everything in it. */
export async function compose(
  manifest: unknown,
  files: Files = {},
  { toolOptions, loadCode, builtinFolder, env = {}, toolList }: ComposeOptions = {},
): Promise<Composed> {
  const directory = writePackage(manifest, files);
  const workspace = openWorkspace({ ...(loadCode && { loadCode }), ...(builtinFolder && { builtinFolder }) });
  const spec = await composeServer(await workspace.findServer(directory), workspace, { toolList });
  const reports: string[] = [];
  const report = (line: string) => void reports.push(line);
  const live = new LiveServer({ server: spec, env, report });
  const options = toolOptions === undefined ? undefined : JSON.stringify(toolOptions);
  const served = { live, toolOptions: parseToolOptions(options, report), adaptation: adaptationOf(live) };
  return { directory, spec, reports, served };
}

export interface Session {
  /** The result of a request. @throws the error it was answered with. */
  request(method: string, params?: object, meta?: object): Promise<Message>;
  /** Sends a request that is not waited for. */
  send(
    method: string,
    params?: object,
    meta?: object,
  ): { readonly id: number; readonly answer: Promise<Message> };
  cancel(id: number): void;
  /** Answers a request of the server. */
  reply(id: unknown, result: object): void;
  notify(method: string, params?: object): void;
  /** Every notification that has come, in order. */
  readonly notifications: Message[];
  /** Every request of the server that has come, in order. */
  readonly asked: Message[];
}

export interface SessionOptions {
  readonly era?: Era;
  readonly version?: string;
  readonly capabilities?: object;
  readonly clientName?: string;
  /** Answers what the server asks; undefined: not at all. An `error` beside nothing else is one. */
  readonly answer?: (request: Message) => Message;
}

/** A client in the same process, already introduced. */
export async function openSession(
  { served }: Pick<Composed, 'served'>,
  {
    era = 'legacy',
    version = '2025-11-25',
    capabilities = {},
    clientName = 'tester',
    answer,
  }: SessionOptions = {},
): Promise<Session> {
  const waiting = new Map<unknown, (message: Message) => void>();
  const notifications: Message[] = [];
  const channel = new StdioChannel(async (message: Message) => {
    const wire = JSON.parse(JSON.stringify(message));
    if ('method' in wire && 'id' in wire) ask(wire);
    else if ('method' in wire) notifications.push(wire);
    else waiting.get(wire.id)?.(wire);
  });
  await createServer(served, era).connect(channel);
  const clientInfo = { name: clientName, version: '9' };
  const envelope = era === 'modern' && {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': clientInfo,
  };
  const asked: Message[] = [];
  const ask = (request: Message) => {
    asked.push(request);
    const told = answer?.(request);
    if (told === undefined) return;
    const outcome = 'error' in told ? told : { result: told };
    channel.deliver({ jsonrpc: '2.0', id: request.id, ...outcome } as Message);
  };
  let last = 0;
  const session: Session = {
    notifications,
    asked,
    send(method, params = {}, meta) {
      const id = ++last;
      const answer = new Promise<Message>((resolve, reject) => {
        waiting.set(id, ({ result, error }) => (error ? reject(error) : resolve(result)));
      });
      answer.catch(() => {});
      const _meta = envelope || meta ? { ...envelope, ...meta } : undefined;
      channel.deliver({
        jsonrpc: '2.0',
        id,
        method,
        params: { ...params, ...(_meta && { _meta }) },
      } as Message);
      return { id, answer };
    },
    request: (method, params, meta) => session.send(method, params, meta).answer,
    cancel: (requestId) => session.notify('notifications/cancelled', { requestId }),
    reply: (id, result) => channel.deliver({ jsonrpc: '2.0', id, result } as Message),
    notify: (method, params) =>
      channel.deliver({ jsonrpc: '2.0', method, ...(params && { params }) } as Message),
  };
  if (era === 'legacy') {
    await session.request('initialize', { protocolVersion: version, capabilities, clientInfo });
    channel.deliver({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  return session;
}

type Items = Readonly<Record<string, object>>;

/** Definitions as live objects, by item name; `server` is the one server's. */
export interface LiveItems {
  readonly tools?: Items;
  readonly prompts?: Items;
  readonly resources?: Items;
  /** Pages, by the names of their apps. */
  readonly apps?: Readonly<Record<string, string>>;
  readonly server?: object;
}

/** Composes a server of definitions that a test wrote down as objects; without `server` it has all of them. */
export async function composeLive(
  items: LiveItems,
  options: Omit<ComposeOptions, 'loadCode'> & { readonly files?: Files } = {},
): Promise<Composed> {
  const { tools = {}, prompts = {}, resources = {}, apps = {}, server } = items;
  const code: Readonly<Record<string, unknown>> = { tools, prompts, resources, servers: { main: server } };
  const manifest = {
    tools: Object.keys(tools),
    prompts: Object.keys(prompts),
    resources: Object.keys(resources),
    apps: Object.keys(apps),
    servers: server ? ['main'] : [],
  };
  const files = Object.fromEntries([
    ...Object.keys(code).map((kind) => [`agenttools/${kind}.js`, '']),
    ...Object.entries(apps).map(([name, page]) => [`agenttools/apps/${name}.html`, page]),
  ]);
  return await compose(
    manifest,
    { ...files, ...options.files },
    {
      ...options,
      loadCode: async (_, relative) => ({ live: code[relative.replace(/^agenttools\/|\.js$/g, '')] }),
    },
  );
}
