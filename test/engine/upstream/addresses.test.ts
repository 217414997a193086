import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createHandler } from '../../../src/engine/serve/http/create-handler.js';
import { eras, openBench } from './support.js';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Listener = Parameters<typeof createHttpServer>[1];

async function listen(listener: Listener): Promise<string> {
  const server = createHttpServer(listener as never);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const headers = { Authorization: 'Bearer tok-very-secret' };
const at = (url: string, transport: 'http' | 'sse' = 'http') => ({ place: { url, headers, transport } });

describe('an upstream server at an address', () => {
  test.each([
    [401, 'it refuses the headers it is sent (HTTP 401): a token is missing or no longer good'],
    [403, 'it refuses the headers it is sent (HTTP 403): they do not allow this'],
    [
      404,
      'there is no MCP server at its address (HTTP 404). If the address is right, its "type" may be wrong: it may have to be "sse", if it speaks the transport of 2024',
    ],
    [500, 'it answers with HTTP 500'],
  ])('reports HTTP %i without the values of headers', async (status, why) => {
    const url = await listen((request, response) => {
      response.writeHead(status).end(`you sent ${request.headers.authorization}`);
    });
    const { names, reported } = await openBench([at(url)]);
    expect(await names()).toEqual([]);
    expect(reported).toEqual([`The upstream server "far" is unavailable: ${why}.`]);
  });

  test.each([400, 404, 405])('suggests another type after HTTP %i', async (status) => {
    const url = await listen((_request, response) => void response.writeHead(status).end());
    const { names, reported } = await openBench([at(url, 'sse')]);
    expect(await names()).toEqual([]);
    expect(reported.join()).toMatch(
      /HTTP 40\d\)?\. If the address is right, its "type" may be wrong: it may have to be "http", or absent\.$/,
    );
  });

  test('gets no headers at another origin after a redirect', async () => {
    const seen: string[] = [];
    const other = await listen((request, response) => {
      seen.push(String(request.headers.authorization));
      response.end();
    });
    const url = await listen((_request, response) => {
      response.writeHead(307, { location: other }).end();
    });
    const { names, reported } = await openBench([at(url)]);
    expect(await names()).toEqual([]);
    expect(seen).toEqual([]);
    expect(reported.join()).toContain('sends us elsewhere (HTTP 307)');
  });

  test('reports the system error if it is unreachable', async () => {
    const url = await listen(() => {});
    const [server] = servers;
    await new Promise((resolve) => server!.close(resolve));
    servers.length = 0;
    const { names, reported } = await openBench([at(url)]);
    expect(await names()).toEqual([]);
    expect(reported.join()).toContain('ECONNREFUSED');
  });

  test.each(eras)('has its tools listed and called, with the headers of its place (%s)', async (era) => {
    const handler = createHandler(
      { name: 'far', tools: [{ name: 'greet', handler: () => 'hello' }] } as never,
      { token: 'tok-very-secret', env: {}, report: () => {} },
    );
    const seen = new Set<unknown>();
    const url = await listen(async (request, response) => {
      seen.add(request.headers.authorization);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = 'GET' } = request;
      const answer = await handler(
        new Request(`http://${request.headers.host}${request.url}`, {
          method,
          headers: request.headers as Record<string, string>,
          ...(method !== 'GET' && { body: Buffer.concat(chunks) }),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body) for await (const chunk of answer.body) response.write(chunk);
      response.end();
    });
    const { names, says } = await openBench([at(url)], { era });
    expect(await names()).toEqual(['greet']);
    expect(await says('greet')).toBe('hello');
    expect([...seen]).toEqual([headers.Authorization]);
    await handler.close();
  });

  test('fails a call at once if the connection breaks', async () => {
    const url = await listenForCalls((_id, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': begun\n\n');
      setTimeout(() => response.destroy(), 50);
    });
    const { says } = await openBench([at(url)]);
    expect(await says('greet')).toBe(
      'The upstream server "far" failed in the middle of the call: the connection broke before the answer came.',
    );
  });

  test('fails a call with the error that the server sends', async () => {
    const error = { code: -32_050, message: 'no such thing as tok-very-secret' };
    const url = await listenForCalls((id, response) => sendJson(response, { id, error }));
    const { says, reported } = await openBench([at(url)]);
    expect(JSON.parse((await says('greet'))!)).toEqual({
      code: -32_050,
      message: 'no such thing as [hidden]',
    });
    expect(reported).toEqual([]);
  });

  test('fails a call if its response has a line of more than 16 MiB', async () => {
    const text = 'x'.repeat(17 * 2 ** 20);
    const url = await listenForCalls((id, response) =>
      sendJson(response, { id, result: { content: [{ type: 'text', text }] } }),
    );
    const { says } = await openBench([at(url)]);
    expect(await says('greet')).toBe(
      'The upstream server "far" failed in the middle of the call: it sent a line of more than 16 MiB.',
    );
  });
});

/** Starts a server with the tool `greet`, whose calls `answer` answers. */
async function listenForCalls(answer: (id: unknown, response: ServerResponse) => void): Promise<string> {
  return await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') return answer(id, response);
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'far', version: '1' },
      },
      'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
    };
    const result = results[method];
    if (result) sendJson(response, { id, result });
    else response.writeHead(400).end();
  });
}

function sendJson(response: ServerResponse, message: object): void {
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}
