import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An entry as the API gives it: the document, and the registry's own data beside it. */
export interface StandInEntry {
  readonly server: unknown;
  readonly _meta?: unknown;
}

/** Answer in place of the usual one: a status, headers and a body. Undefined: the usual one. */
type Interfere = (url: URL, count: number) => Interference | undefined;

interface Interference {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface McpRegistryStandIn {
  readonly url: string;
  /** Paths with queries of all requests. */
  readonly requests: string[];
  close(): Promise<void>;
}

interface StandInOptions {
  readonly interfere?: Interfere;
  /** Takes the function that ends the registry. Default: it ends with the test. */
  readonly onEnd?: (close: () => Promise<void>) => void;
}

/**
 * A registry on 127.0.0.1 that speaks the published API. Ends with the test.
 * @see https://github.com/modelcontextprotocol/registry docs/reference/api/openapi.yaml
 */
export async function startMcpRegistry(
  entries: readonly (StandInEntry | null)[],
  { interfere = () => undefined, onEnd = onTestFinished }: StandInOptions = {},
): Promise<McpRegistryStandIn> {
  const requests: string[] = [];
  const server = createServer((request, response) => answer(request, response));
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    requests.push(`${url.pathname}${url.search}`);
    const other = interfere(url, requests.length);
    if (other) return void response.writeHead(other.status, other.headers).end(other.body);
    const [status, body] = respond(url, entries);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onEnd(close);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close };
}

function respond(url: URL, entries: readonly (StandInEntry | null)[]): readonly [number, unknown] {
  if (url.pathname === '/v0.1/servers') return [200, listPage(url, entries)];
  const [, name, version] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(url.pathname) ?? [];
  const versions = entries.filter(
    (entry) => textOf(entry?.server, 'name') === decodeURIComponent(name ?? ''),
  );
  const wanted = decodeURIComponent(version ?? '');
  const found =
    wanted === 'latest'
      ? versions.at(-1)
      : versions.find((entry) => textOf(entry?.server, 'version') === wanted);
  return found ? [200, found] : [404, { error: 'Server not found' }];
}

/** Pages as the official registry makes them. The cursor is the position of the next entry. */
function listPage({ searchParams }: URL, entries: readonly (StandInEntry | null)[]): unknown {
  const text = searchParams.get('search')?.toLowerCase() ?? '';
  const limit = Math.min(Number(searchParams.get('limit') ?? 30), 100);
  const from = Number(searchParams.get('cursor')?.replace(/^page:/, '') ?? 0);
  const latest = new Map(entries.map((entry) => [textOf(entry?.server, 'name') || entry, entry]));
  const matching = [...latest.values()].filter((entry) =>
    [textOf(entry?.server, 'name'), textOf(entry?.server, 'description')].some((one) =>
      one.toLowerCase().includes(text),
    ),
  );
  const servers = matching.slice(from, from + limit);
  const isLast = from + limit >= matching.length;
  const metadata = { count: servers.length, ...(!isLast && { nextCursor: `page:${from + limit}` }) };
  return { servers, metadata };
}

function textOf(value: unknown, key: string): string {
  const held = typeof value === 'object' && value !== null ? (Reflect.get(value, key) as unknown) : undefined;
  return typeof held === 'string' ? held : '';
}

/** An entry with the registry's own data. */
export function registryEntry(
  server: object,
  official: Readonly<Record<string, unknown>> = {},
): StandInEntry {
  const meta = { status: 'active', isLatest: true, publishedAt: '2026-05-04T03:02:01Z', ...official };
  return {
    server: { description: 'A server', version: '1.0.0', ...server },
    _meta: { 'io.modelcontextprotocol.registry/official': meta },
  };
}

/** Any number of entries; every eleventh is broken or hostile, in one of several ways. */
export function manyEntries(count: number): readonly (StandInEntry | null)[] {
  return Array.from({ length: count }, (_, index) => {
    const server = {
      name: `io.github.user${index}/server-${index}`,
      description: `Does the work number ${index}`,
      packages: [{ registryType: 'npm', identifier: `server-${index}`, version: '1.0.0' }],
    };
    if (index % 11 !== 0) return registryEntry(server);
    return faults[(index / 11) % faults.length]!(server);
  });
}

/** Entries that a stranger may publish, or a broken registry may send. */
const faults: readonly ((server: { readonly name: string }) => StandInEntry | null)[] = [
  () => ({ server: null }),
  () => ({ server: { name: 7, version: {} } }),
  () => null,
  ({ name }) => registryEntry({ name: `${name}/../../evil` }),
  ({ name }) => registryEntry({ name, description: `\u001b[2Jcleared\u202e${'x'.repeat(100_000)}` }),
  ({ name }) => registryEntry({ name, packages: 'none', remotes: { length: 1e9 } }),
  ({ name }) => registryEntry({ name }, { status: 'deleted' }),
  ({ name }) => registryEntry({ name }, { status: 'deprecated', statusMessage: 'Use another one.' }),
  () => ({ server: JSON.parse('{"__proto__":{"name":"io.github.evil/evil","version":"1.0.0"}}') }),
];
