import { isRecord } from '../base/value-checks.js';
import { type ErrorBody, ErrorNumber, isMessageId, type JsonObject } from './envelope.js';
import { type Era, logLevels, metaKey } from './eras.js';
import { findListenFault } from './listen-params.js';

/** Location of a fault in params, and the expected value. */
interface ParamsFault {
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

type ParamCheck = (value: unknown, path: readonly string[]) => ParamsFault | undefined;

const checkText: ParamCheck = (value, path) =>
  typeof value === 'string' ? undefined : { path, problem: 'must be a string' };
const object: ParamCheck = (value, path) =>
  isRecord(value) ? undefined : { path, problem: 'must be an object' };

function optionalParam(check: ParamCheck): ParamCheck {
  return (value, path) => (value === undefined ? undefined : check(value, path));
}

function checkChoice(values: readonly string[]): ParamCheck {
  return (value, path) =>
    values.some((known) => known === value)
      ? undefined
      : { path, problem: `must be one of ${values.map((known) => JSON.stringify(known)).join(', ')}` };
}

function members(checks: Readonly<Record<string, ParamCheck>>): ParamCheck {
  const rows = Object.entries(checks);
  return (value, path) => {
    if (!isRecord(value)) return { path, problem: 'must be an object' };
    for (const [key, check] of rows) {
      const fault = check(value[key], [...path, key]);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

const texts: ParamCheck = (value, path) => {
  if (!isRecord(value)) return { path, problem: 'must be an object' };
  for (const key of Object.keys(value)) {
    if (typeof value[key] !== 'string') return { path: [...path, key], problem: 'must be a string' };
  }
  return undefined;
};

const flag: ParamCheck = (value, path) =>
  typeof value === 'boolean' ? undefined : { path, problem: 'must be a boolean' };

const addresses: ParamCheck = (value, path) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
    ? undefined
    : { path, problem: 'must be an array of strings' };

const reference: ParamCheck = (value, path) => {
  const fault = members({ type: checkChoice(['ref/prompt', 'ref/resource']) })(value, path);
  if (fault !== undefined) return fault;
  const { type } = value as JsonObject;
  return members(type === 'ref/prompt' ? { name: checkText } : { uri: checkText })(value, path);
};

/** Params of a retry with input responses. @see MCP 2026-07-28, basic/patterns/mrtr */
const retryParams = { inputResponses: optionalParam(object), requestState: optionalParam(checkText) };

const page = members({ cursor: optionalParam(checkText) });
const byUri = members({ uri: checkText });

/**
 * Checks of params, by method, before the engine gets them. Each revision's schema has the same definitions for these
 * requests.
 */
const checks: Readonly<Record<string, ParamCheck>> = {
  initialize: members({
    protocolVersion: checkText,
    capabilities: object,
    clientInfo: members({ name: checkText, version: checkText }),
  }),
  'tools/list': page,
  'tools/call': members({ name: checkText, arguments: optionalParam(object), ...retryParams }),
  'prompts/list': page,
  'prompts/get': members({ name: checkText, arguments: optionalParam(texts), ...retryParams }),
  'resources/list': page,
  'resources/templates/list': page,
  'resources/read': members({ uri: checkText, ...retryParams }),
  'resources/subscribe': byUri,
  'resources/unsubscribe': byUri,
  'completion/complete': members({
    ref: reference,
    argument: members({ name: checkText, value: checkText }),
    context: optionalParam(members({ arguments: optionalParam(texts) })),
  }),
  'logging/setLevel': members({ level: checkChoice(logLevels) }),
  'subscriptions/listen': members({
    notifications: members({
      toolsListChanged: optionalParam(flag),
      promptsListChanged: optionalParam(flag),
      resourcesListChanged: optionalParam(flag),
      resourceSubscriptions: optionalParam(addresses),
    }),
  }),
  'skills/list': page,
  'skills/get': byUri,
  'resources/directory/read': members({ uri: checkText, cursor: optionalParam(checkText) }),
  // The dispatcher reads a value that is not an object as empty, and the handler would not notice.
  'tasks/update': members({ inputResponses: optionalParam(object) }),
};

/** Methods that the modern era no longer has: they are refused without a check of params (MCP 2026-07-28 changelog). */
const legacyOnly = new Set([
  'initialize',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Returns the error for params that a method of an era cannot take; undefined if they are valid. */
export function findParamsFault(era: Era, method: string, params: JsonObject = {}): ErrorBody | undefined {
  const unreadable = findUnreadableMeta(method, params);
  if (unreadable !== undefined) return unreadable;
  const fault = findMethodFault(era, method, params);
  if (fault !== undefined) return invalidParams(method, fault);
  return era === 'modern' && method === 'subscriptions/listen' ? findListenFault(params) : undefined;
}

/** `tools/call` is most of the traffic: its ordinary form passes here without building a path. */
function findMethodFault(era: Era, method: string, params: JsonObject): ParamsFault | undefined {
  if (method === 'tools/call' && isPlainCall(params)) return undefined;
  if (era === 'modern' && legacyOnly.has(method)) return undefined;
  return Object.hasOwn(checks, method) ? checks[method]?.(params, []) : undefined;
}

function isPlainCall({ name, arguments: args, inputResponses, requestState }: JsonObject): boolean {
  const isFirst = inputResponses === undefined && requestState === undefined;
  return typeof name === 'string' && (args === undefined || isRecord(args)) && isFirst;
}

/** Returns the error for an unreadable `_meta`; undefined if it is readable. Receivers ignore such a message. */
export function findUnreadableMeta(method: string, params: JsonObject = {}): ErrorBody | undefined {
  const fault = findMetaFault(params._meta);
  return fault === undefined ? undefined : invalidParams(method, fault);
}

function findMetaFault(meta: unknown): ParamsFault | undefined {
  if (meta === undefined) return undefined;
  if (!isRecord(meta)) return { path: ['_meta'], problem: 'must be an object' };
  const { progressToken, [metaKey.relatedTask]: task } = meta;
  if (progressToken !== undefined && !isMessageId(progressToken)) {
    return { path: ['_meta', 'progressToken'], problem: 'must be a string or an integer' };
  }
  if (task !== undefined && (!isRecord(task) || typeof task.taskId !== 'string')) {
    return { path: ['_meta', metaKey.relatedTask], problem: 'must be an object with a "taskId"' };
  }
  return undefined;
}

function invalidParams(method: string, { path, problem }: ParamsFault): ErrorBody {
  return {
    code: ErrorNumber.InvalidParams,
    message: `Invalid params for ${method}: ${showPath(path)} ${problem}.`,
    data: { path },
  };
}

function showPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return '"params"';
  return `"${path.map((step, index) => (index === 0 ? `${step}` : typeof step === 'number' || /[^\w$]/.test(step) ? `[${JSON.stringify(step)}]` : `.${step}`)).join('')}"`;
}
