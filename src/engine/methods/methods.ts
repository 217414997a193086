import type { ServerCapabilities } from '@modelcontextprotocol/server';
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
import { get, listPrompts } from './prompts.js';
import { listResources, listTemplates, readResourceRequest } from './resources.js';
import { subscribe, unsubscribe } from './subscriptions.js';
import { call, listTools } from './tools.js';

export interface Method {
  readonly capability: keyof ServerCapabilities;
  /** The part of the capability that offers it, if the whole does not. */
  readonly feature?: string;
  /** The era that has it, if the other does not. */
  readonly era?: Era;
  readonly handler: MethodHandler;
}

/** The handler of each method, and the capability that offers it. */
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
  'tasks/get': ofTasks('getTask'),
  'tasks/update': ofTasks('updateTask'),
  'tasks/cancel': ofTasks('cancelTask'),
  'skills/list': ofSkills('listSkills'),
  'skills/get': ofSkills('getSkill'),
  'resources/directory/read': ofSkills('readDirectory'),
};

/** How long a task may take to say how it is. */
const taskLimitMs = 10_000;

/** Few servers have tasks, and what answers for them is loaded for those. */
function ofTasks(name: keyof typeof import('./tasks.js')): Method {
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
        // The task may have ended meanwhile, or its host.
        if (host.hasTask(params.taskId)) return await answerHere();
        throw error;
      }
    },
  };
}

function ofSkills(name: 'listSkills' | 'getSkill' | 'readDirectory'): Method {
  return {
    capability: 'extensions',
    feature: skillsExtension,
    handler: async (connection, params, request) => {
      await connection.live.ready('skills', request.signal);
      return await (await import('./skills.js'))[name](connection, params);
    },
  };
}

/** The row of a method in an era; undefined: there is none. */
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
  // A list of a kind that this server does not have is empty, not unknown.
  if (method.endsWith('/list') && capability !== 'extensions') return true;
  const held = offered[capability] as WireObject | undefined;
  return feature === undefined ? held !== undefined : Boolean(held?.[feature]);
}

/** Answers a request. @throws ProtocolError; anything else is a bug of ours */
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

/** `logging/setLevel`; an unknown level does not come this far. */
function setLogLevel(connection: Connection, { level }: WireObject): WireObject {
  connection.logLevel = logLevels.find((known) => known === level) ?? connection.logLevel;
  connection.host?.update(connection);
  return {};
}

/** Answers with a list once it is whole, or cannot be waited for any longer. */
function waitForList(kind: ServedKind, handler: MethodHandler): MethodHandler {
  return async (connection, params, request) => {
    const endsAt = performance.now() + listLimitMs;
    const { live, host } = connection;
    // Apps arrive with their tools.
    const kinds = kind === 'resources' && showsUi(connection, request) ? [kind, 'tools' as const] : [kind];
    await Promise.all(kinds.map((one) => live.ready(one, request.signal)));
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

/** Longest time until a list is answered, if need be without its code: impatient clients wait 10 s. Milliseconds. */
const listLimitMs = 9500;

/** Least time of that for the code, in milliseconds. */
const leastCodeMs = 500;

/** How long code may take that makes a list; undefined: no code does. */
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

/** A hook and the gates of apps may take a second each, and loading them longer. */
const hookLimitMs = 10_000;
