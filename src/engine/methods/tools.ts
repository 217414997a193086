import { isRecord } from '../base/value-checks.js';
import { contextMaker, identifyClient, knowsTasks, showsUi } from '../interaction/handler-context.js';
import { ClientInputScope, runWithInput } from '../interaction/input-scope.js';
import type { Connection, ListEntry, RequestIdentity, ToolAdapter } from '../live/connection.js';
import { ownerKey } from '../live/request-keys.js';
import { downgradeBlock, downgradeTool } from '../protocol/downgrade-content.js';
import type { WireObject } from '../protocol/envelope.js';
import { tasksCapability } from '../protocol/protocol-extensions.js';
import type { RequestContext } from '../protocol/request.js';
import { invalidParams } from '../protocol/request-errors.js';
import { withWireStructure } from '../protocol/results.js';
import { callTool } from '../runtime/call-tool.js';
import type { Servable } from '../runtime/compose-server.js';
import { missingCapabilityError } from '../runtime/input-required.js';
import { page } from '../runtime/paging.js';
import { MissingCapabilityError } from '../runtime/requirements.js';
import { error as failure, ProtocolError, type ToolResult } from '../runtime/result-builders.js';
import type { ServerRuntime } from '../runtime/server-runtime.js';
import type { ToolSpec } from '../runtime/specs.js';
import { isAppOnly, withoutUi } from '../runtime/ui.js';
import type { LongCall } from '../tasks/call-as-task.js';
import type { ListRequest, SelectedListItems } from './list-request.js';
import { listResult, selectListItems, toCursor } from './lists.js';
import { entryWithUi } from './ui.js';

/** `tools/list` */
export async function listTools(
  connection: Connection,
  { cursor }: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const { hasUi, cache } = connection.calls.server;
  const { specs, page } = await listedTools({ connection, request, cursor: toCursor(cursor) });
  const version = connection.peer.version;
  const withUi = hasUi && showsUi(connection, request);
  // A client without UI support would show app-only tools to the model.
  const shown = hasUi && !withUi ? specs.filter((tool) => !isAppOnly(tool)) : specs;
  const wires = shown.map(({ wire }) => wire);
  const adapter = await adapterOf(connection, request, wires);
  const listed = adapter?.list(wires) ?? wires;
  const isPrivate = cache?.scope === 'public' && (await connection.adaptation?.varies(wires));
  const hint = isPrivate && { cacheScope: 'private' };
  const added = adapter?.added(listed) ?? [];
  if (!withUi) {
    const entries = [...listed, ...added].map((tool) => downgradeTool(version, tool));
    return { ...listResult('tools', page(entries)), ...hint };
  }
  const { items, ...next } = page([...listed, ...added].map((wire, index) => ({ wire, tool: shown[index] })));
  const entries = await Promise.all(
    items.map(async ({ tool, wire }) =>
      downgradeTool(version, tool ? await entryWithUi({ ...tool, wire }, connection, request) : wire),
    ),
  );
  return listResult('tools', { items: entries, ...next });
}

/** Adapts tools to the client of a request. Undefined: it gets them as they are. */
async function adapterOf(
  connection: Connection,
  request: RequestContext,
  tools: readonly ListEntry[],
): Promise<ToolAdapter | undefined> {
  return await connection.adaptation?.adapterFor(identifyClient(connection, request).name, tools);
}

/** Returns the listed tools. With a tool catalog, these are its tools and the app-only tools. */
async function listedTools(asked: ListRequest): Promise<SelectedListItems<ToolSpec>> {
  const { registry } = asked.connection.calls.server;
  const { fronts } = registry;
  if (!fronts) return await selectListItems('tools', asked);
  const isListed = (tool: ToolSpec) => fronts.has(tool.name) || (isAppOnly(tool) && !tool.hidden);
  const specs = registry.all('tools').filter(isListed);
  return { specs, page: (entries) => page(entries, asked.cursor, registry.pageSize) };
}

/** `tools/call` */
export async function call(
  connection: Connection,
  params: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  if (request.meta?.progressToken === undefined || !connection.adaptation)
    return await answerCall(connection, params, request);
  const stop = connection.adaptation.keepAlive(identifyClient(connection, request).name, request);
  return await answerCall(connection, params, request).finally(stop);
}

async function answerCall(
  connection: Connection,
  { name, arguments: given }: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  const { calls, live } = connection;
  const tool =
    findCalledTool(calls, name) ??
    (await findAdapted(connection, request, name)) ??
    (await live.find('tools', () => findCalledTool(calls, name), request.signal)) ??
    (await findAdapted(connection, request, name));
  if (!tool) {
    const added = await connection.adaptation?.callAdded(name, given, ownerKey(request.auth));
    if (added) return added;
    const what = `Unknown tool: ${String(name)}${await absenceOf(connection, request, name)}`;
    throw new ProtocolError(invalidParams, live.explain(what, 'tools'));
  }
  if (given !== undefined && !isRecord(given)) {
    throw new ProtocolError(invalidParams, 'Invalid params for tools/call: "arguments" must be an object');
  }
  const result = await runTool(connection, tool, given, request);
  if (result.resultType === 'task') {
    connection.adaptation?.keepTask(String(result.taskId), tool.wire);
    return result;
  }
  return await adaptedResult(tool.wire, result, { connection, request });
}

interface Asker {
  readonly connection: Connection;
  readonly request: RequestContext;
}

/** The result of a tool as the client can use it. */
export async function adaptedResult(
  tool: ListEntry,
  result: WireObject,
  { connection, request }: Asker,
): Promise<WireObject> {
  const call = { tool, result, owner: ownerKey(request.auth) };
  const adapted = await connection.adaptation?.resultFor(identifyClient(connection, request).name, call);
  if (!adapted || adapted === result) return result;
  const content = (adapted.content as ToolResult['content']).map((block) =>
    downgradeBlock(connection.peer.version, block),
  );
  return { ...adapted, content };
}

/** Runs a tool in the extension host, or in this process. */
async function runTool(
  connection: Connection,
  tool: ToolSpec,
  given: WireObject | undefined,
  request: RequestContext,
): Promise<WireObject> {
  const { calls } = connection;
  const adapter = given && (await adapterOf(connection, request, [tool.wire]));
  const args = given && (adapter?.toOriginal(tool.wire, given) ?? given);
  // A handler that copies its arguments by assignment would change the prototype of the copy.
  if (args && Object.hasOwn(args, '__proto__')) Reflect.deleteProperty(args, '__proto__');
  const subject: RequestIdentity = { method: 'tools/call', name: tool.name, args };
  if (connection.host && needsCode(tool, calls.server)) {
    return await connection.host.answer(connection, request, {
      params: { name: tool.name, ...(args && { arguments: args }) },
      what: `Tool "${tool.name}"`,
      timeoutMs: tool.timeoutMs,
      subject,
      answersByResult: true,
    });
  }
  const run: LongCall['run'] = async (setting) => {
    const result = await callTool(tool, args ?? {}, { calls, ...setting }).catch((error) =>
      answerMissing(error, connection),
    );
    return await resultFor(tool, result, { connection, request });
  };
  const { task } = tool;
  if (task && knowsTasks(connection, request)) {
    // Loaded on first use: few tools run as tasks.
    const { callAsTask } = await import('../tasks/call-as-task.js');
    return await callAsTask({ connection, request, subject, tool: { ...tool, task }, run });
  }
  if (task?.support === 'required') {
    const result = answerMissing(missingCapabilityError(`Tool "${tool.name}"`, tasksCapability), connection);
    return await resultFor(tool, result, { connection, request });
  }
  const inputScope = new ClientInputScope(connection, request, subject);
  const makeContext = contextMaker(connection, request, { inputScope });
  return await runWithInput(inputScope, async () => await run({ signal: request, makeContext }));
}

/** False for a tool that an upstream server answers without extension code. */
function needsCode({ upstream, initialize, task, definition }: ToolSpec, server: Servable): boolean {
  if (!upstream || initialize || task || server.initialize) return true;
  return !upstream.isOwn && definition.file.language !== 'data';
}

/** Converts a result to the revision of the client. */
async function resultFor(
  tool: ToolSpec,
  result: ToolResult,
  { connection, request }: Asker,
): Promise<WireObject> {
  const { era, peer } = connection;
  const version = peer.version;
  const content = result.content.map((block) => downgradeBlock(version, block));
  const { _meta: meta } = result;
  const _meta = showsUi(connection, request)
    ? await metaWithApp(meta, tool, { connection, request })
    : meta && withoutUi(meta);
  return withWireStructure(
    { ...result, content, ...(_meta && { _meta }) },
    { isModern: era === 'modern', outputSchema: tool.output?.wire },
  );
}

/** Adds the app of a tool to the metadata of its result, where some hosts look for it. `ui` of the result wins. */
async function metaWithApp(
  meta: ToolResult['_meta'],
  tool: ToolSpec,
  { connection, request }: Asker,
): Promise<ToolResult['_meta']> {
  // Results of upstream servers pass unchanged.
  if (!tool.ui || tool.upstream?.isOwn || meta?.ui !== undefined) return meta;
  const { _meta: told } = await entryWithUi(tool, connection, request);
  const ui = isRecord(told) && isRecord(told.ui) ? told.ui : {};
  return typeof ui.resourceUri === 'string' ? { ...meta, ui: { resourceUri: ui.resourceUri } } : meta;
}

function findCalledTool({ server: { registry } }: ServerRuntime, name: unknown): ToolSpec | undefined {
  return typeof name === 'string' ? registry.resolve('tools', name) : undefined;
}

/** Finds a tool by its name in the adapted list. */
async function findAdapted(
  connection: Connection,
  request: RequestContext,
  name: unknown,
): Promise<ToolSpec | undefined> {
  if (typeof name !== 'string') return undefined;
  const tools = connection.calls.server.registry.all('tools');
  const wires = tools.map(({ wire }) => wire);
  const adapter = await adapterOf(connection, request, wires);
  const original = adapter?.findOriginal(name, wires);
  return original && tools.find(({ wire }) => wire === original);
}

/** Reason why a tool is not served, as the rest of a message; empty if the server never had it. */
async function absenceOf(connection: Connection, request: RequestContext, name: unknown): Promise<string> {
  const { refusedTools, removedTools } = connection.live;
  const isOneOf = async (tools: readonly ToolSpec[]): Promise<boolean> => {
    if (tools.length === 0 || typeof name !== 'string') return false;
    if (tools.some((tool) => tool.name === name)) return true;
    // Names of other tools decide about an alias.
    const all = [...connection.calls.server.registry.all('tools'), ...tools].map(({ wire }) => wire);
    return (await adapterOf(connection, request, all))?.findOriginal(name, all) !== undefined;
  };
  if (await isOneOf(refusedTools))
    return '. The server was started with --frozen and does not serve it, since it is not as recorded. The log of the server has the difference';
  return (await isOneOf(removedTools))
    ? '. The server has removed it since the client may have read the list of tools. Read the list again, or restart the client'
    : '';
}

/** Answers a call if the client lacks a required capability: an error on 2026-07-28, a failed result before. */
function answerMissing(error: unknown, { era }: Connection): ToolResult {
  if (era === 'modern' || !(error instanceof MissingCapabilityError)) throw error;
  return failure(error.message);
}
