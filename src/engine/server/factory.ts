import {
  type Implementation,
  ProtocolError,
  ResourceNotFoundError,
  type Result,
  type CacheHint as SdkCacheHint,
  Server,
  type ServerCapabilities,
  type ServerContext,
  UriTemplate,
} from '@modelcontextprotocol/server';
import { brands, isBranded } from '../items/brands.js';
import { error as failure, type ToolResult } from '../items/builders.js';
import { type Calls, callTool, getPrompt, MissingCapabilityError, PromptFailure } from '../items/call.js';
import type { Lazy } from '../items/lazy.js';
import { CursorError, page, type ServedKind } from '../items/registry.js';
import { isRecord } from '../items/shapes.js';
import type { CacheHint, Complete, ResourceSpec } from '../items/specs.js';
import { withTimeLimit } from '../items/time-limit.js';
import { type Connection, contextMaker } from './context.js';
import { type Era, legacyVersions, logLevels } from './eras.js';
import { blockFor } from './revisions.js';

/** @see JSON-RPC 2.0, section 5.1 */
const invalidParams = -32602;
const internalError = -32603;
/** @see MCP 2026-07-28, basic, "Error Codes" */
const missingCapability = -32021;

/** At most this many suggestions are sent. @see MCP, server/utilities/completion */
const maxSuggestions = 100;

/** What every connection of one served server shares. */
export interface Served {
  readonly calls: Calls;
  readonly toolOptions: Connection['toolOptions'];
}

/** Makes the SDK server that speaks for a composed server in one era. */
export function createServer({ calls, toolOptions }: Served, era: Era): Server {
  const { info, instructions, cache } = calls.server;
  const server = new Server(info as Implementation, {
    capabilities: capabilitiesOf(calls),
    ...(instructions !== undefined && { instructions }),
    ...(cache && { cacheHints: listHints(cache) }),
    supportedProtocolVersions: [...legacyVersions],
  });
  const connection: Connection = { era, server, calls, toolOptions, logLevel: 'info' };
  const handlers: Handlers = {
    'tools/list': ({ cursor }) => listed(() => listOf(connection, 'tools', 'tools', cursor)),
    'prompts/list': ({ cursor }) => listed(() => listOf(connection, 'prompts', 'prompts', cursor)),
    'resources/list': (params, request) => listResources(connection, params.cursor, request),
    'resources/templates/list': ({ cursor }) => listed(() => listTemplates(connection, cursor)),
    'tools/call': (params, request) => call(connection, params, request),
    'prompts/get': (params, request) => get(connection, params, request),
    'resources/read': (params, request) => read(connection, params, request),
    'completion/complete': (params, request) => complete(connection, params, request),
    'logging/setLevel': async ({ level }) => {
      connection.logLevel = logLevels.find((known) => known === level) ?? connection.logLevel;
      return {};
    },
  };
  const offered = capabilitiesOf(calls);
  const unoffered = new Map<string, Handler>();
  for (const [method, handler] of Object.entries(handlers)) {
    if (isOffered(method, offered)) {
      server.setRequestHandler(
        method as 'tools/list',
        ({ params }, request) => handler(params ?? {}, request) as never,
      );
    } else if (method.endsWith('/list')) {
      unoffered.set(method, handler);
    }
  }
  // A list of a kind that this server does not have is empty, not unknown; the SDK ties handlers to capabilities.
  server.fallbackRequestHandler = async ({ method, params }, request) => {
    const handler = unoffered.get(method);
    if (!handler) throw new ProtocolError(-32601, 'Method not found');
    return (await handler(params ?? {}, request)) as Result;
  };
  return server;
}

type Params = Readonly<Record<string, unknown>>;
type Handler = (params: Params, request: ServerContext) => Promise<unknown>;
type Handlers = Readonly<Record<string, Handler>>;

function isOffered(method: string, capabilities: ServerCapabilities): boolean {
  const [family] = method.split('/') as [string];
  const key = family === 'completion' ? 'completions' : family;
  return key in capabilities;
}

/** Capabilities by what there is, never more. */
function capabilitiesOf({ server: { registry } }: Calls): ServerCapabilities {
  const completes = [...registry.all('prompts'), ...registry.all('resources')].some(
    ({ complete }) => complete.size > 0,
  );
  return {
    ...(registry.all('tools').length > 0 && { tools: {} }),
    ...(registry.all('prompts').length > 0 && { prompts: {} }),
    ...(registry.all('resources').length > 0 && { resources: {} }),
    ...(completes && { completions: {} }),
    logging: {},
  };
}

function listHints({ ttlMs, scope }: CacheHint) {
  const hint: SdkCacheHint = { ttlMs, cacheScope: scope };
  return {
    'tools/list': hint,
    'prompts/list': hint,
    'resources/list': hint,
    'resources/templates/list': hint,
    'server/discover': hint,
  };
}

async function listed<T>(list: () => T): Promise<T> {
  try {
    return list();
  } catch (error) {
    if (error instanceof CursorError) throw new ProtocolError(invalidParams, error.message);
    throw error;
  }
}

function listOf({ calls }: Connection, kind: ServedKind, key: string, cursor: unknown): Params {
  const { items, nextCursor } = calls.server.registry.list(kind, { cursor: cursorOf(cursor) });
  return { [key]: items.map(({ wire }) => wire), ...(nextCursor !== undefined && { nextCursor }) };
}

function cursorOf(cursor: unknown): string | undefined {
  return typeof cursor === 'string' ? cursor : undefined;
}

function listTemplates({ calls }: Connection, cursor: unknown): Params {
  const templates = calls.server.registry
    .all('resources')
    .filter(({ uriTemplate, hidden }) => uriTemplate && !hidden);
  const { items, nextCursor } = page(templates, cursorOf(cursor), calls.server.registry.pageSize);
  return {
    resourceTemplates: items.map(({ wire }) => wire),
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

/** Fixed resources, and what the templates that can be listed hold right now. */
async function listResources(
  connection: Connection,
  cursor: unknown,
  request: ServerContext,
): Promise<Params> {
  const specs = connection.calls.server.registry.all('resources').filter(({ hidden }) => !hidden);
  const entries = await Promise.all(
    specs.map(async (spec) =>
      spec.uri === undefined ? await instancesOf(connection, spec, request) : [spec.wire],
    ),
  );
  return await listed(() => {
    const { items, nextCursor } = page(
      distinct(entries.flat()),
      cursorOf(cursor),
      connection.calls.server.registry.pageSize,
    );
    return { resources: items, ...(nextCursor !== undefined && { nextCursor }) };
  });
}

/** The entries without those whose address an earlier one has. */
function distinct(entries: readonly Params[]): readonly Params[] {
  const seen = new Set<unknown>();
  return entries.filter(({ uri }) => !seen.has(uri) && seen.add(uri));
}

async function instancesOf(
  connection: Connection,
  spec: ResourceSpec,
  request: ServerContext,
): Promise<readonly Params[]> {
  if (!spec.list) return [];
  try {
    const list = await spec.list();
    const makeContext = contextMaker(connection, request);
    const found = await withTimeLimit(
      async (signal) => await list(makeContext({ signal })),
      { timeoutMs: spec.timeoutMs, signal: request.mcpReq.signal },
    );
    const { uriTemplate: _, ...common } = spec.wire;
    return (Array.isArray(found) ? found : [])
      .filter(isRecord)
      .filter(({ uri }) => typeof uri === 'string')
      .map(({ name, title, ...entry }) => {
        const own = typeof name === 'string' ? name : String(entry.uri);
        return { ...common, ...entry, name: own, title: typeof title === 'string' ? title : own };
      });
  } catch (error) {
    connection.calls.report(
      `${spec.item}: its list failed: ${error instanceof Error ? error.stack : String(error)}`,
    );
    return [];
  }
}

async function call(
  connection: Connection,
  { name, arguments: args }: Params,
  request: ServerContext,
): Promise<unknown> {
  const { calls, server } = connection;
  const tool = typeof name === 'string' ? calls.server.registry.resolve('tools', name) : undefined;
  if (!tool) throw new ProtocolError(invalidParams, `Unknown tool: ${String(name)}`);
  const result = await protocolErrors(() =>
    callTool(tool, (args ?? {}) as Params, {
      calls,
      signal: request.mcpReq.signal,
      makeContext: contextMaker(connection, request),
    }),
  ).catch((error) => answerMissing(error, connection));
  const version = server.getNegotiatedProtocolVersion();
  const content = result.content.map((block) => blockFor(version, block));
  return server.projectCallToolResult({ ...result, content } as never, tool.output?.wire);
}

/**
 * A client without a capability that a tool needs: an error of its own on 2026-07-28, a failed result before.
 * @see MCP 2026-07-28, basic, "Error Codes": -32021
 */
function answerMissing(error: unknown, { era }: Connection): ToolResult {
  if (!(error instanceof MissingCapabilityError)) throw error;
  if (era === 'legacy') return failure(error.message);
  const requiredCapabilities = nested(error.capabilities);
  throw new ProtocolError(missingCapability, error.message, { requiredCapabilities });
}

/** `["sampling.tools"]` as the object that a client would declare: `{ sampling: { tools: {} } }`. */
function nested(capabilities: readonly string[]): Params {
  const root: Record<string, unknown> = {};
  for (const capability of capabilities) {
    let at = root;
    for (const part of capability.split('.')) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
  }
  return root;
}

async function get(
  connection: Connection,
  { name, arguments: args }: Params,
  request: ServerContext,
): Promise<unknown> {
  const { calls, server } = connection;
  const prompt = typeof name === 'string' ? calls.server.registry.resolve('prompts', name) : undefined;
  if (!prompt) throw new ProtocolError(invalidParams, `Unknown prompt: ${String(name)}`);
  const made = await protocolErrors(() =>
    getPrompt(prompt, (args ?? {}) as Readonly<Record<string, string>>, {
      calls,
      signal: request.mcpReq.signal,
      makeContext: contextMaker(connection, request),
    }),
  );
  const version = server.getNegotiatedProtocolVersion();
  return {
    ...made,
    messages: made.messages.map(({ role, content }) => ({ role, content: blockFor(version, content) })),
  };
}

async function read(connection: Connection, { uri }: Params, request: ServerContext): Promise<unknown> {
  const { calls, era } = connection;
  const found = findResource(calls, String(uri));
  if (!found) throw new ResourceNotFoundError(String(uri));
  const { spec, variables } = found;
  const makeContext = contextMaker(connection, request);
  try {
    const contents = await withTimeLimit(
      async (signal) => {
        const ctx = makeContext({ signal });
        await calls.initializers.ready([calls.server.initialize], ctx);
        return await spec.read(String(uri), variables, ctx);
      },
      { timeoutMs: spec.timeoutMs, signal: request.mcpReq.signal },
    );
    const hint = era === 'modern' ? spec.cache : undefined;
    return { contents, ...(hint && { ttlMs: hint.ttlMs, cacheScope: hint.scope }) };
  } catch (error) {
    if (isBranded(error, brands.protocolError)) throw passedOn(error);
    if (isBranded(error, brands.toolError)) throw new ProtocolError(internalError, (error as Error).message);
    calls.report(`${spec.item}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const text = calls.server.exposeErrors && error instanceof Error ? error.message : 'Resource read failed';
    throw new ProtocolError(internalError, text, { uri });
  }
}

/** The resource of an address: exact ones first, then the first template that fits. */
function findResource(calls: Calls, uri: string): { spec: ResourceSpec; variables: Params } | undefined {
  const specs = calls.server.registry.all('resources');
  const exact = specs.find((spec) => spec.uri === uri);
  if (exact) return { spec: exact, variables: {} };
  for (const spec of specs) {
    const matched = spec.uriTemplate === undefined ? null : new UriTemplate(spec.uriTemplate).match(uri);
    if (!matched) continue;
    const decoded = Object.entries(matched).map(([name, value]) => [name, decodedValue(value)]);
    return { spec, variables: Object.fromEntries(decoded) };
  }
  return undefined;
}

function decodedValue(value: string | string[]): string | string[] {
  if (Array.isArray(value)) return value.map((part) => decodedValue(part) as string);
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

async function complete(connection: Connection, params: Params, request: ServerContext): Promise<unknown> {
  const { ref, argument, context } = params as {
    ref: { type: string; name?: string; uri?: string };
    argument: { name: string; value: string };
    context?: { arguments?: Readonly<Record<string, string>> };
  };
  const source = completionOf(connection.calls, ref, argument.name);
  if (!source) return { completion: { values: [], total: 0, hasMore: false } };
  const makeContext = contextMaker(connection, request);
  const values = await withTimeLimit(
    async (signal) => {
      const suggest = await source();
      return await suggest(argument.value, {
        ...makeContext({ signal }),
        arguments: context?.arguments ?? {},
      });
    },
    { timeoutMs: 10_000, signal: request.mcpReq.signal },
  ).catch((error) => {
    if (isBranded(error, brands.protocolError)) throw passedOn(error);
    connection.calls.report(
      `Completion of "${argument.name}": ${error instanceof Error ? error.stack : String(error)}`,
    );
    throw new ProtocolError(internalError, 'Completion failed');
  });
  const list = (Array.isArray(values) ? values : []).map(String);
  return {
    completion: {
      values: list.slice(0, maxSuggestions),
      total: list.length,
      hasMore: list.length > maxSuggestions,
    },
  };
}

/** Who completes an argument of a prompt or a variable of a template, if anybody does. */
function completionOf(
  { server: { registry } }: Calls,
  ref: { type: string; name?: string; uri?: string },
  argument: string,
): Lazy<Complete> | undefined {
  if (ref.type === 'ref/prompt') {
    const prompt = registry.resolve('prompts', ref.name ?? '');
    if (!prompt) throw new ProtocolError(invalidParams, `Unknown prompt: ${ref.name}`);
    if (!prompt.argumentNames.includes(argument)) {
      throw new ProtocolError(invalidParams, `Prompt "${ref.name}" has no argument "${argument}".`);
    }
    return prompt.complete.get(argument);
  }
  const resource = registry.all('resources').find(({ uriTemplate, uri }) => (uriTemplate ?? uri) === ref.uri);
  if (!resource) throw new ProtocolError(invalidParams, `Unknown resource template: ${ref.uri}`);
  const variables =
    resource.uriTemplate === undefined ? [] : new UriTemplate(resource.uriTemplate).variableNames;
  if (!variables.includes(argument)) {
    throw new ProtocolError(invalidParams, `Resource template "${ref.uri}" has no variable "${argument}".`);
  }
  return resource.complete.get(argument);
}

/** Runs work and gives its failures the numbers of the protocol. */
async function protocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PromptFailure) {
      throw new ProtocolError(error.code === 'arguments' ? invalidParams : internalError, error.message);
    }
    throw isBranded(error, brands.protocolError) ? passedOn(error) : error;
  }
}

/** An extension's protocol error as the SDK's. */
function passedOn(error: object): ProtocolError {
  const { code, message, data } = error as { code: number; message: string; data?: unknown };
  return new ProtocolError(Number.isSafeInteger(code) ? code : internalError, message, data);
}
