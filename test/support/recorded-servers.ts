import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/** A request to a real server, and its answer. */
interface Exchange {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Surface of a real server, as `.scripts/record-servers.mjs` wrote it. */
export interface RecordedServer {
  /** Package and version. */
  readonly server: string;
  /** Date, as `YYYY-MM-DD`. */
  readonly recorded: string;
  readonly initialize: Readonly<Record<string, unknown>> & { readonly instructions?: string };
  readonly exchanges: readonly Exchange[];
}

const folder = path.resolve(import.meta.dirname, '../recorded-servers');

export const recordedServers: Readonly<Record<string, RecordedServer>> = Object.fromEntries(
  readdirSync(folder).map((file) => [
    path.parse(file).name,
    JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as RecordedServer,
  ]),
);

/** Serves all recordings over Streamable HTTP (2025-11-25), each at `/<name>`. */
export async function serveRecordings(): Promise<{
  readonly urlOf: (name: string) => string;
  readonly close: () => Promise<void>;
}> {
  const server = createServer(async (request, response) => {
    const recorded = recordedServers[request.url!.slice(1)];
    if (request.method !== 'POST' || !recorded) return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    if (id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer(recorded, method, params) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(
  { initialize, exchanges }: RecordedServer,
  method: string,
  { _meta, ...params }: Record<string, unknown> = {},
): Pick<Exchange, 'result' | 'error'> {
  if (method === 'initialize') return { result: { protocolVersion: '2025-11-25', ...initialize } };
  if (method === 'ping') return { result: {} };
  const found = exchanges.find((one) => one.method === method && isDeepStrictEqual(one.params, params));
  if (!found) return { error: { code: -32_601, message: `${method} was not recorded.` } };
  const { result, error } = found;
  return error ? { error } : { result: result! };
}
