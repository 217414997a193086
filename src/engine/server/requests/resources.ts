import {
  ProtocolError,
  ResourceNotFoundError,
  type ServerContext,
  UriTemplate,
} from '@modelcontextprotocol/server';
import { messageOf } from '../../extension/modules.js';
import { isRecord } from '../../extension/shapes.js';
import { brands, isBranded } from '../../items/brands.js';
import { type Calls, detailsOf, exposesErrors } from '../../items/calls.js';
import type { ResourceSpec } from '../../items/specs.js';
import { withTimeLimit } from '../../items/time-limit.js';
import { type Connection, contextMaker } from '../context.js';
import { internalError } from './errors.js';
import type { Wire } from './handler.js';
import { pageOf } from './lists.js';

/** `resources/templates/list` */
export function listTemplates(connection: Connection, { cursor }: Wire): Wire {
  const specs = connection.calls.server.registry.all('resources');
  const templates = specs.filter(({ uriTemplate, hidden }) => uriTemplate && !hidden);
  return pageOf(
    connection,
    'resourceTemplates',
    templates.map(({ wire }) => wire),
    cursor,
  );
}

/** `resources/list`: fixed resources, and what the templates that can be listed hold right now. */
export async function listResources(
  connection: Connection,
  { cursor }: Wire,
  request: ServerContext,
): Promise<Wire> {
  const specs = connection.calls.server.registry.all('resources').filter(({ hidden }) => !hidden);
  const entries = await Promise.all(
    specs.map(async (spec) =>
      spec.uri === undefined ? await instancesOf(connection, spec, request) : [spec.wire],
    ),
  );
  return pageOf(connection, 'resources', distinct(entries.flat()), cursor);
}

/** The entries without those whose address an earlier one has. */
function distinct(entries: readonly Wire[]): readonly Wire[] {
  const seen = new Set<unknown>();
  return entries.filter(({ uri }) => !seen.has(uri) && seen.add(uri));
}

async function instancesOf(
  connection: Connection,
  spec: ResourceSpec,
  request: ServerContext,
): Promise<readonly Wire[]> {
  if (!spec.list) return [];
  try {
    const list = await spec.list();
    const makeContext = contextMaker(connection, request);
    const found = await withTimeLimit(async (limit) => await list(makeContext(limit)), {
      timeoutMs: spec.timeoutMs,
      signal: request.mcpReq.signal,
    });
    const entries: readonly unknown[] = Array.isArray(found) ? found : [];
    return entries.map((entry) => instanceOf(spec, entry)).filter((entry) => entry !== undefined);
  } catch (error) {
    connection.calls.report(`${spec.item}: its list failed: ${detailsOf(error)}`);
    return [];
  }
}

/** One resource of a template as a list shows it; what is not told is as for the template. */
function instanceOf({ wire }: ResourceSpec, entry: unknown): Wire | undefined {
  if (!isRecord(entry) || typeof entry.uri !== 'string') return undefined;
  const { uriTemplate: _, ...common } = wire;
  const told = Object.entries(entry).filter(
    ([key, value]) => !textKeys.has(key) || typeof value === 'string',
  );
  const { name = entry.uri, title = name, ...rest } = Object.fromEntries(told);
  return { ...common, ...rest, name, title };
}

/** Keys of a list entry that clients refuse unless they hold text. */
const textKeys: ReadonlySet<string> = new Set(['name', 'title', 'description', 'mimeType']);

/** `resources/read` */
export async function read(connection: Connection, { uri }: Wire, request: ServerContext): Promise<Wire> {
  const { calls, era, outstanding } = connection;
  const look = () => findResource(calls, String(uri));
  const found = look() ?? (await outstanding?.find('resources', look, request.mcpReq.signal));
  if (!found) {
    const what = `Resource not found: ${String(uri)}`;
    throw new ResourceNotFoundError(String(uri), outstanding?.explain(what, 'resources') ?? what);
  }
  const { spec, variables } = found;
  const makeContext = contextMaker(connection, request);
  try {
    const contents = await withTimeLimit(
      async (limit) => {
        const ctx = makeContext(limit);
        await calls.initializers.ready({ server: calls.server.initialize }, ctx);
        return await spec.read(String(uri), variables, ctx);
      },
      { timeoutMs: spec.timeoutMs, signal: request.mcpReq.signal },
    );
    const hint = era === 'modern' ? spec.cache : undefined;
    return { contents, ...(hint && { ttlMs: hint.ttlMs, cacheScope: hint.scope }) };
  } catch (error) {
    if (isBranded(error, brands.protocolError)) throw error;
    if (isBranded(error, brands.toolError)) throw new ProtocolError(internalError, (error as Error).message);
    calls.report(`${spec.item}: ${detailsOf(error)}`);
    const text = exposesErrors(calls) ? messageOf(error) : 'Resource read failed';
    throw new ProtocolError(internalError, text, { uri });
  }
}

/** The resource of an address: exact ones first, then the first template that fits. */
function findResource(calls: Calls, uri: string): { spec: ResourceSpec; variables: Wire } | undefined {
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
