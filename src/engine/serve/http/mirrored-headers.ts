import { utf8 } from '../../base/utf8.js';
import { isRecord } from '../../base/value-checks.js';
import type { ToolSpec } from '../../runtime/specs.js';
import { isToken } from '../../schema/mcp-header.js';

/** An argument that clients also send in a header. */
interface MirroredArgument {
  readonly header: string;
  readonly path: readonly string[];
}

/** A header that is missing, invalid or different from the body. */
export interface HeaderFault {
  readonly header: string;
  readonly problem: string;
}

/** The param that `Mcp-Name` repeats, by method. For tasks: SEP-2663, Streamable HTTP. */
const nameParams: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * Finds the fault in the headers that every request of 2026-07-28 has. Version and method in them, if present, were
 * compared with the body when the era was detected.
 * @see MCP 2026-07-28, basic/transports/streamable-http, Standard Request Headers
 */
export function findStandardFault(
  { method, params }: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> },
  headers: Headers,
): HeaderFault | undefined {
  for (const header of ['MCP-Protocol-Version', 'Mcp-Method']) {
    if (!headers.has(header)) return { header, problem: 'is missing' };
  }
  const key = Object.hasOwn(nameParams, method) ? nameParams[method]! : undefined;
  if (key === undefined) return undefined;
  const value = params?.[key];
  // The params check refuses a value that is not a string. The header must still be readable.
  return findHeaderFault('Mcp-Name', headers, {
    value: typeof value === 'string' ? value : undefined,
    where: key,
  });
}

const mirroredArguments = new WeakMap<ToolSpec, readonly MirroredArgument[]>();

/**
 * Finds the fault in the `Mcp-Param-*` headers of a call.
 * @see MCP 2026-07-28, basic/transports/streamable-http, Custom Headers from Tool Parameters
 */
export function findArgumentFault(tool: ToolSpec, args: unknown, headers: Headers): HeaderFault | undefined {
  const declared = mirroredArguments.get(tool) ?? [...findMirroredArguments(tool.input.wire, [])];
  mirroredArguments.set(tool, declared);
  for (const { header, path } of declared) {
    const value = argumentAt(args, path);
    const fault = findHeaderFault(header, headers, { value, where: `arguments.${path.join('.')}` });
    if (fault) return fault;
  }
  return undefined;
}

function findHeaderFault(
  header: string,
  headers: Headers,
  { value, where }: { readonly value: unknown; readonly where: string },
): HeaderFault | undefined {
  const sent = headers.get(header);
  const read = sent === null ? undefined : decode(sent);
  if (sent !== null && read === undefined) {
    return { header, problem: 'is neither plain ASCII nor valid Base64 of UTF-8 text' };
  }
  const text = headerValue(value);
  if (text === undefined) return undefined;
  if (read === undefined) return { header, problem: `is missing, though "${where}" is sent` };
  return matchesHeader(read, text) ? undefined : { header, problem: `differs from "${where}"` };
}

function* findMirroredArguments(schema: unknown, path: readonly string[]): Generator<MirroredArgument> {
  if (!isRecord(schema)) return;
  const name = schema['x-mcp-header'];
  if (typeof name === 'string' && isToken(name) && path.length > 0)
    yield { header: `Mcp-Param-${name}`, path };
  if (!isRecord(schema.properties)) return;
  for (const [key, inner] of Object.entries(schema.properties))
    yield* findMirroredArguments(inner, [...path, key]);
}

function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Returns a value in its form for headers; undefined if it has none. */
function headerValue(value: unknown): string | number | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  return typeof value === 'string' ? value : undefined;
}

function matchesHeader(read: string, value: string | number): boolean {
  if (typeof value === 'string') return read === value;
  return /^-?\d+(\.\d+)?$/.test(read) && Number(read) === value;
}

/** Decodes a header value: `=?base64?…?=` holds Base64 of UTF-8. @see Value Encoding, ibid. */
function decode(sent: string): string | undefined {
  const packed = /^=\?base64\?(.*)\?=$/.exec(sent)?.[1];
  if (packed === undefined) return /^[\t\x20-\x7e]*$/.test(sent) ? sent : undefined;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(packed)) return undefined;
  return utf8(Uint8Array.from(atob(packed), (character) => character.charCodeAt(0)));
}
