import { once } from 'node:events';
import { type ClientRequestArgs, type IncomingMessage, request } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { NetworkProxy } from '../../../src/engine/sandbox/network-proxy.js';
import { writeFolder } from '../../support/packages.js';

/** Answers each connection with one line. */
async function startServer(): Promise<number> {
  const server: Server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

async function openProxy(network: readonly string[], addresses: Readonly<Record<string, readonly string[]>>) {
  const socketPath = path.join(writeFolder(), 'proxy.sock');
  const lines: string[] = [];
  const proxy = await NetworkProxy.open({
    socket: socketPath,
    network,
    report: (line) => lines.push(line),
    resolve: async (host) => addresses[host] ?? [],
  });
  onTestFinished(() => proxy.close());
  const connect = async (target: string) => {
    const options: ClientRequestArgs = { socketPath, method: 'CONNECT', path: target };
    const [{ statusCode }, socket, head] = (await once(request(options).end(), 'connect')) as [
      IncomingMessage,
      Socket,
      Buffer,
    ];
    const text = [head, ...(await socket.toArray())].join('');
    return { status: statusCode, text };
  };
  return { connect, lines };
}

test('connects to a permitted host at the permitted port alone', async () => {
  const port = await startServer();
  const addresses = { 'api.acme.example': ['127.0.0.1'] };
  const { connect, lines } = await openProxy([`api.acme.example:${port}`, `127.0.0.1:${port}`], addresses);
  expect(await connect(`api.acme.example:${port}`)).toEqual({ status: 200, text: 'hello' });
  expect(await connect('api.acme.example:25')).toMatchObject({ status: 403 });
  expect(await connect(`evil.example:${port}`)).toMatchObject({ status: 403 });
  expect(lines[1]).toBe(
    `sandbox: the host evil.example:${port} is not permitted. Permit it with --allow-net evil.example`,
  );
});

test.each(['127.0.0.1', '10.0.0.1', '192.168.1.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1'])(
  'refuses a permitted name that leads to %s',
  async (address) => {
    const port = await startServer();
    const { connect, lines } = await openProxy([`api.acme.example:${port}`], {
      'api.acme.example': [address],
    });
    expect(await connect(`api.acme.example:${port}`)).toMatchObject({ status: 403 });
    expect(lines.join()).toContain(`leads to ${address}, which is not public`);
  },
);

test('refuses targets that are no host and port', async () => {
  const { connect } = await openProxy(['*.acme.example'], {});
  for (const target of ['', 'acme', 'http://a.acme.example/', 'acme.example:443', 'a.acme.example.evil:443'])
    expect((await connect(target)).status).toBe(403);
});
