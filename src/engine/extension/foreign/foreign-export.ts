import { types } from 'node:util';
import type { PlainData } from '../../base/plain-data.js';
import { isRecord } from '../../base/value-checks.js';
import { isLiveSchema } from '../../schema/index.js';
import type { LiveExport } from '../modules.js';
import { aiSchemaMark } from './ai-schema-mark.js';

const adapted = new WeakMap<object, Promise<object>>();

/**
 * Converts tools of the AI SDK and of LangChain in a default export to definitions: one tool, or tools by name, in a
 * list or in a toolkit. Returns any other value unchanged, or as a fault if it is a running MCP server. `file` is the
 * absolute path of the module.
 */
export async function adaptExport(live: unknown, file: string): Promise<LiveExport | PlainData> {
  if (!isReadable(live)) return { live };
  const server = serverName(live);
  if (server !== undefined)
    return {
      value: undefined,
      faults: [{ path: [], what: `an object of class ${server}, not a definition` }],
    };
  if (foreignKind(live) !== undefined) return await adaptTool(live, file);
  return hasForeignTool(live) ? { live: await once(live, () => adaptTools(live, file)) } : { live };
}

/** Shares the conversion of one object, so that its copy is also shared. */
function once(value: object, convert: () => Promise<object>): Promise<object> {
  const known = adapted.get(value) ?? convert();
  adapted.set(value, known);
  return known;
}

/** Members of an export that may be tools: the entries of its list `tools`, else its own members. */
function membersOf(live: object): object {
  const tools = readMember(live, 'tools');
  return Array.isArray(tools) && isReadable(tools) ? tools : live;
}

function hasForeignTool(live: object): boolean {
  const members = membersOf(live);
  if (!Array.isArray(members) && !isPlain(members)) return false;
  return Object.keys(members).some((key) => foreignKind(readMember(members, key)) !== undefined);
}

async function adaptTools(live: object, file: string): Promise<object> {
  const members = membersOf(live);
  const converted = await Promise.all(Object.values(members).map((member) => adaptTool(member, file)));
  const values = converted.map((one) => one.live);
  const list = Array.isArray(members) ? values : undefined;
  if (members !== live) return { ...live, tools: list };
  return list ?? Object.fromEntries(Object.keys(members).map((key, index) => [key, values[index]]));
}

/** Converts one tool; any other value stays as it is, also a thenable. */
async function adaptTool(value: unknown, file: string): Promise<LiveExport> {
  const kind = foreignKind(value);
  if (kind === undefined) return { live: value };
  const convert = async () => {
    const { adaptAiTool, adaptLangChainTool } = await import('./foreign-tools.js');
    return kind === 'ai' ? await adaptAiTool(value as object, file) : adaptLangChainTool(value as object);
  };
  return { live: await once(value as object, convert) };
}

/** The framework of a tool, by the members that the framework calls; undefined for any other value. */
function foreignKind(value: unknown): 'ai' | 'langchain' | undefined {
  if (!isReadable(value) || readMember(value, 'handler') !== undefined) return undefined;
  const has = (key: string) => isReadable(readMember(value, key));
  if (isCallable(value, 'execute')) return has('inputSchema') || has('parameters') ? 'ai' : undefined;
  const isNamed = typeof readMember(value, 'name') === 'string';
  return isCallable(value, 'invoke') && isNamed && has('schema') ? 'langchain' : undefined;
}

/**
 * Reason that a tool of the AI SDK without `execute`, which the code around the chat runs, cannot be served; undefined
 * for any other value.
 */
export function chatToolFault(value: object): string | undefined {
  if (typeof value === 'function' || !isReadable(value)) return undefined;
  if (readMember(value, 'execute') !== undefined || readMember(value, 'handler') !== undefined)
    return undefined;
  const schema = readMember(value, 'inputSchema') ?? readMember(value, 'parameters');
  if (!isReadable(schema)) return undefined;
  const isForeign = isLiveSchema(schema) || Object.hasOwn(schema, aiSchemaMark);
  return isForeign
    ? 'a tool of the AI SDK without "execute", so a server cannot run it. Give it an "execute", or leave it out of the export'
    : undefined;
}

/** Class name of an MCP server object of the official SDK, FastMCP or mcp-use; undefined for any other value. */
function serverName(value: object): string | undefined {
  const can = (...names: string[]) => names.every((name) => isCallable(value, name));
  const isServer =
    can('registerTool', 'connect') ||
    can('tool', 'connect') ||
    can('setRequestHandler', 'connect') ||
    can('addTool', 'start') ||
    can('tool', 'listen');
  if (!isServer) return undefined;
  const name: unknown = readMember(readMember(value, 'constructor') as object, 'name');
  return typeof name === 'string' && name !== '' ? name : 'Server';
}

function isCallable(value: object, key: string): boolean {
  return typeof readMember(value, key) === 'function';
}

function isReadable(value: unknown): value is object {
  return (isRecord(value) || Array.isArray(value) || typeof value === 'function') && !types.isProxy(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Reads a member without running code of the author: getters and proxies give undefined. */
function readMember(value: unknown, key: string): unknown {
  for (let at = value; isReadable(at); at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, key);
    if (found) return found.value;
  }
  return undefined;
}
