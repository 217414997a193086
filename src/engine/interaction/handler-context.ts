import { types } from 'node:util';
import { plainData } from '../base/plain-data.js';
import { errorMessage, inspectValue } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { asker, type Connection, requesterInfo } from '../live/connection.js';
import { allowsUi, declaresUi } from '../live/ui-capability.js';
import { logLevels, metaKey } from '../protocol/eras.js';
import { tasksCapability } from '../protocol/protocol-extensions.js';
import type { RequestContext } from '../protocol/request.js';
import { capabilityPath } from '../runtime/capabilities.js';
import type { Context, LogLevel } from '../runtime/context.js';
import { inputUnsupported } from '../runtime/input-required.js';
import { callNestedTool } from '../runtime/nested-call.js';
import type { MakeContext } from '../runtime/server-runtime.js';
import type { ToolSpec } from '../runtime/specs.js';
import type { CallDeadline } from '../runtime/time-limit.js';
import { findToolOptions } from '../runtime/tool-options.js';
import { type ClientInputScope, HandlerInput } from './input-scope.js';

/** Position of a handler in the calls of one request. */
interface CallPosition {
  /** Input scope of the request; absent if the handler cannot ask the client. */
  readonly inputScope?: ClientInputScope;
  /** Number of nested calls between the client's request and the handler. Default: 0. */
  readonly depth?: number;
  /** Prefix of the handler's keys. Default: empty. */
  readonly prefix?: string;
  /** Deadlines of the enclosing calls, the outermost first. */
  readonly outer?: readonly CallDeadline[];
  /** True if an upstream server answers in place of a handler. Default: true for tools of upstream servers. */
  readonly isUpstream?: boolean;
}

/** Returns a factory of handler contexts for one request. */
export function contextMaker(
  connection: Connection,
  request: RequestContext,
  { inputScope, depth = 0, prefix = '', outer = [], isUpstream = false }: CallPosition = {},
): MakeContext {
  const { calls } = connection;
  const client = identifyClient(connection, request);
  const withUi = allowsUi(calls.env) && declaresUi(client.capabilities);
  const can = (capability: string) => hasCapability(client.capabilities, capability);
  return (limit, tool) => {
    const log = createLogger(connection, request, limit, tool);
    const limits = [...outer, limit];
    const what = tool ? `Tool "${tool.name}"` : 'This';
    const speaker =
      inputScope && new HandlerInput(inputScope, { prefix, limits, what, can, note: log.debug });
    const context: Omit<Context, 'signal'> & DeadlineHolder = {
      [deadline]: limit,
      progress: createProgress(request, limit),
      log,
      options: tool ? findToolOptions(tool, connection.toolOptions) : {},
      client,
      can,
      ui: withUi,
      registry: { ...calls.server.registry.forHandlers, shown: (query) => connection.shown(request, query) },
      callTool: (...called) => {
        const inner = speaker ? { inputScope, prefix: speaker.nextPrefix(), outer: limits } : {};
        const makeContext = contextMaker(connection, request, { ...inner, depth: depth + 1 });
        const call = callNestedTool({ calls, limit, depth, makeContext }, ...called);
        return speaker ? speaker.outcome(call) : call;
      },
      ...(speaker?.interaction() ?? listInteraction),
      root: connection.root,
      session: connection.session,
      auth: authInfo(request),
      meta: request.meta ? ownMeta(request.meta) : noMeta,
      ...connection.announce,
      closeStream: () => request.closeStream(),
      beginTask: () => {},
      locals: {},
      protocolVersion: connection.peer.version ?? 'unknown',
      requestId: request.id,
      server: { name: calls.server.info.name, version: calls.server.info.version },
      ...(tool && { tool: { name: tool.name } }),
      ...((isUpstream || tool?.upstream) && { [asker]: requesterInfo(connection, request, depth) }),
    };
    Object.defineProperty(context, 'signal', lazySignal);
    return context as Context & DeadlineHolder;
  };
}

/** Key of the deadline in a context. */
const deadline = Symbol('deadline');

interface DeadlineHolder {
  readonly [deadline]: CallDeadline;
}

/**
 * `ctx.signal`, created on first access. All contexts share the getter: with own getters, V8 would create a hidden class
 * for each context, and keep it until a full collection.
 */
const lazySignal: PropertyDescriptor & ThisType<DeadlineHolder> = {
  get() {
    return this[deadline].signal;
  },
  enumerable: true,
  configurable: true,
};

/** @see MCP 2026-07-28, basic/patterns/mrtr, Supported Requests */
const listInteraction = inputUnsupported('Code for lists and completions');

const noMeta = Object.freeze({});

/** The fields of `_meta` that the protocol does not use. @see MCP, basic, General fields */
function ownMeta(meta: Readonly<Record<string, unknown>>): Context['meta'] {
  const isOwn = ([name]: [string, unknown]) =>
    name !== 'progressToken' && !/^[\w-]+\.(?:modelcontextprotocol|mcp)[./]/.test(name);
  return Object.fromEntries(Object.entries(meta).filter(isOwn));
}

/** Claims of a verified token, without the token itself. Handlers must not see it. */
function authInfo({ auth }: RequestContext): Context['auth'] {
  if (!auth) return undefined;
  const { token: _, extra, ...claims } = auth;
  return { ...extra, ...claims };
}

/**
 * True if the client declares a capability. Names of nested ones have dots: `sampling.tools`. An `elicitation`
 * capability without modes means forms.
 * @see MCP 2025-11-25 and later, client/elicitation, Capabilities
 */
function hasCapability(capabilities: Readonly<Record<string, unknown>>, name: string): boolean {
  if (
    name === 'elicitation.form' &&
    isRecord(capabilities.elicitation) &&
    !('url' in capabilities.elicitation)
  ) {
    return true;
  }
  let held: unknown = capabilities;
  for (const part of capabilityPath(name)) {
    if (typeof held !== 'object' || held === null || !Object.hasOwn(held, part)) return false;
    held = (held as Record<string, unknown>)[part];
  }
  return held !== undefined && held !== false;
}

/** True if the client of the request supports UI and UI is enabled. */
export function showsUi(connection: Connection, request: RequestContext): boolean {
  return allowsUi(connection.calls.env) && declaresUi(identifyClient(connection, request).capabilities);
}

/** True if the client of the request supports tasks. @see SEP-2663, Backward Compatibility: not before 2026-07-28 */
export function knowsTasks(connection: Connection, request: RequestContext): boolean {
  if (connection.era !== 'modern') return false;
  return hasCapability(identifyClient(connection, request).capabilities, tasksCapability);
}

/** Returns the client: from the request on 2026-07-28, from the handshake before. */
export function identifyClient({ era, peer }: Connection, { meta }: RequestContext): Context['client'] {
  const info = (era === 'modern' ? meta?.[metaKey.clientInfo] : peer.client?.info) as
    | { name?: string; version?: string }
    | undefined;
  const capabilities = era === 'modern' ? meta?.[metaKey.clientCapabilities] : peer.client?.capabilities;
  return {
    name: info?.name,
    version: info?.version,
    capabilities: (capabilities ?? {}) as Readonly<Record<string, unknown>>,
  };
}

/**
 * Progress, if the client sent a token. Values that do not grow are not sent.
 * @see MCP basic/utilities/progress: "The progress value MUST increase with each notification"
 */
function createProgress(request: RequestContext, limit: CallDeadline): Context['progress'] {
  const progressToken = request.meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let last = Number.NEGATIVE_INFINITY;
  return (progress, more) => {
    const { total, message } = more ?? {};
    if (limit.isOver || !Number.isFinite(progress) || progress <= last) return;
    last = progress;
    const params = {
      progressToken,
      progress,
      ...(Number.isFinite(total) && { total }),
      ...(typeof message === 'string' && { message }),
    };
    request.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

/** Returns a logger that sends messages from the client's level on. On 2026-07-28 the request sets the level. */
function createLogger(
  connection: Connection,
  request: RequestContext,
  limit: CallDeadline,
  tool: ToolSpec | undefined,
): Context['log'] {
  const threshold = () =>
    connection.era === 'modern' ? request.meta?.[metaKey.logLevel] : connection.logLevel;
  const send = (level: LogLevel, data: unknown) => {
    const lowest = logLevels.indexOf(threshold() as LogLevel);
    if (limit.isOver || lowest === -1 || logLevels.indexOf(level) < lowest) return;
    const params = { level, data: toJsonValue(data), ...(tool && { logger: tool.name }) };
    request.notify({ method: 'notifications/message', params }).catch(() => {});
  };
  return {
    debug: (data) => send('debug', data),
    info: (data) => send('info', data),
    notice: (data) => send('notice', data),
    warning: (data) => send('warning', data),
    error: (data) => send('error', data),
  };
}

/** Converts a value to JSON data. Never throws: a log line must not fail a call. */
export function toJsonValue(data: unknown): unknown {
  const { value, faults } = plainData(data);
  if (faults.length === 0) return value ?? null;
  if (typeof data === 'function') return null;
  return types.isNativeError(data) ? errorMessage(data) : inspectValue(data);
}
