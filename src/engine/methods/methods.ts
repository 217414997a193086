import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '../base/value-checks.js';
import { showsUi } from '../interaction/handler-context.js';
import type { Connection } from '../live/connection.js';
import type { MethodHandler } from '../live/method-handler.js';
import type { WireObject } from '../protocol/envelope.js';
import { type Era, logLevels } from '../protocol/eras.js';
import { skillsExtension, tasksExtension } from '../protocol/protocol-extensions.js';
import type { RequestContext } from '../protocol/request.js';
import { toProtocolError } from '../protocol/request-errors.js';
import type { ServedKind } from '../runtime/served-kind.js';
import { complete } from './completion.js';
import { waitForItems } from './list-wait.js';
import { get, listPrompts } from './prompts.js';
import { listResources, listTemplates, readResourceRequest } from './resources.js';
import { subscribe, unsubscribe } from './subscriptions.js';
import { adaptedResult, call, listTools } from './tools.js';

export interface Method {
  readonly capability: keyof ServerCapabilities;
  /** Key within the capability that offers the method. Default: the capability itself. */
  readonly feature?: string;
  /** The only era that has the method. Default: both. */
  readonly era?: Era;
  readonly handler: MethodHandler;
}

/** Handler and capability of each method. */
const methods: Readonly<Record<string, Method>> = {
  'tools/list': { capability: 'tools', handler: waitForList('tools', listTools) },
  'tools/call': { capability: 'tools', handler: call },
  'prompts/list': { capability: 'prompts', handler: waitForList('prompts', listPrompts) },
  'prompts/get': { capability: 'prompts', handler: get },
  'resources/list': { capability: 'resources', handler: waitForList('resources', listResources) },
  'resources/templates/list': { capability: 'resources', handler: waitForList('resources', listTemplates) },
  'resources/read': { capability: 'resources', handler: readResourceRequest },
  'resources/subscribe': { capability: 'resources', feature: 'subscribe', era: 'legacy', handler: subscribe },
  'resources/unsubscribe': {
    capability: 'resources',
    feature: 'subscribe',
    era: 'legacy',
    handler: unsubscribe,
  },
  'completion/complete': { capability: 'completions', handler: complete },
  'logging/setLevel': { capability: 'logging', era: 'legacy', handler: setLogLevel },
  'tasks/get': withAdaptedResult(taskMethod('getTask')),
  'tasks/update': taskMethod('updateTask'),
  'tasks/cancel': taskMethod('cancelTask'),
  'skills/list': skillMethod('listSkills'),
  'skills/get': skillMethod('getSkill'),
  'resources/directory/read': skillMethod('readDirectory'),
};

/** Longest run of a task request in the extension host, in milliseconds. */
const taskLimitMs = 10_000;

/** Adapts the result of a task, as `tools/call` adapts results. */
function withAdaptedResult(row: Method): Method {
  return {
    ...row,
    handler: async (connection, params, request) => {
      const task = await row.handler(connection, params, request);
      const tool = connection.adaptation?.toolOfTask(String(params.taskId));
      if (!tool || !isRecord(task.result)) return task;
      return { ...task, result: await adaptedResult(tool, task.result, { connection, request }) };
    },
  };
}

/** Row of a task method. Its handler is loaded on first use, since few servers have tasks. */
function taskMethod(name: keyof typeof import('./tasks.js')): Method {
  return {
    capability: 'extensions',
    feature: tasksExtension,
    handler: async (connection, params, request) => {
      const { host } = connection;
      const answerHere = async () => (await import('./tasks.js'))[name](connection, params, request);
      if (!host || host.hasTask(params.taskId)) return await answerHere();
      try {
        return await host.answer(connection, request, { params, what: 'The task', timeoutMs: taskLimitMs });
      } catch (error) {
        // The task or its extension host may have ended during the request.
        if (host.hasTask(params.taskId)) return await answerHere();
        throw error;
      }
    },
  };
}

function skillMethod(name: 'listSkills' | 'getSkill' | 'readDirectory'): Method {
  return {
    capability: 'extensions',
    feature: skillsExtension,
    handler: async (connection, params, request) => {
      await connection.live.ready('skills', request.signal);
      return await (await import('./skills.js'))[name](connection, params);
    },
  };
}

/** Returns the row of a method; undefined if the era does not have it. */
export function findMethod(method: string, era: Era): Method | undefined {
  const row = Object.hasOwn(methods, method) ? methods[method] : undefined;
  return row?.era === undefined || row.era === era ? row : undefined;
}

/** True if a server with these capabilities answers a method. */
export function isMethodOffered(
  method: string,
  { capability, feature }: Method,
  offered: ServerCapabilities,
): boolean {
  // A list of a missing kind is empty, not unknown.
  if (method.endsWith('/list') && capability !== 'extensions') return true;
  const held = offered[capability] as WireObject | undefined;
  return feature === undefined ? held !== undefined : Boolean(held?.[feature]);
}

/** Answers a request. @throws ProtocolError; any other error is a bug of AgentTools */
export async function answerMethod(
  handler: MethodHandler,
  connection: Connection,
  params: WireObject,
  request: RequestContext,
): Promise<WireObject> {
  try {
    return await handler(connection, params, request);
  } catch (error) {
    throw toProtocolError(error);
  }
}

/** `logging/setLevel`. Unknown levels are rejected before. */
function setLogLevel(connection: Connection, { level }: WireObject): WireObject {
  connection.logLevel = logLevels.find((known) => known === level) ?? connection.logLevel;
  connection.host?.update(connection);
  connection.live.upstreams?.setLogLevel?.(connection, connection.logLevel);
  return {};
}

/** Returns a handler that answers once the list is complete or its time limit has passed. */
function waitForList(kind: ServedKind, handler: MethodHandler): MethodHandler {
  return async (connection, params, request) => {
    const endsAt = performance.now() + listLimitMs;
    const { host } = connection;
    // Apps arrive with their tools.
    const kinds = kind === 'resources' && showsUi(connection, request) ? [kind, 'tools' as const] : [kind];
    await waitForItems(kinds, connection, request);
    const limitMs = host && listHookTimeout(kind, connection, request);
    const instead = async () => await handler(connection, params, request);
    if (!host || limitMs === undefined) return await instead();
    const what = `The list of ${kind}`;
    const answer = host.answer(connection, request, { params, what, timeoutMs: limitMs, instead });
    const leftMs = Math.max(endsAt - performance.now(), leastCodeMs);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, leftMs);
    });
    return await Promise.race([answer, late.then(instead)]).finally(() => clearTimeout(timer));
  };
}

/**
 * Longest time until a list is answered, in milliseconds. After it, the list is sent without the result of its code.
 * Some clients wait 10 seconds only.
 */
const listLimitMs = 9500;

/** Least time that the code of a list gets, in milliseconds. */
const leastCodeMs = 500;

/** Longest run of the code that makes a list, in milliseconds; undefined if no code does. */
function listHookTimeout(
  kind: ServedKind,
  connection: Connection,
  request: RequestContext,
): number | undefined {
  const { registry, listHooks } = connection.calls.server;
  const hasHook = listHooks[kind] !== undefined;
  if (kind === 'resources') {
    const limits = registry.all(kind).flatMap(({ list, timeoutMs }) => (list ? [timeoutMs] : []));
    return hasHook || limits.length > 0 ? Math.max(hookLimitMs, ...limits) : undefined;
  }
  const hasGate =
    kind === 'tools' && showsUi(connection, request) && registry.all(kind).some(({ ui }) => ui?.when);
  return hasHook || hasGate ? hookLimitMs : undefined;
}

/** In milliseconds. A hook and the `when` gates of apps may take a second each; loading them takes longer. */
const hookLimitMs = 10_000;
