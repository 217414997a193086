import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectHttp, envelope, type Mode, modernRequest, modes } from '../support/http-client.js';
import { type HttpProgram, serveHttpHere, startHttp } from '../support/http-program.js';
import { writeFolder, writePackage } from '../support/packages.js';
import { fixture, type Message } from '../support/program.js';
import { commandHere } from '../support/serving-here.js';

const directory = writePackage(
  { tools: ['print', 'wait', 'exit', 'much', 'hang'] },
  {
    'agenttools/tools.js': `console.log('loaded');
    export default {
      print: { description: 'Prints.', handler: () => { console.log('printed'); return 'done'; } },
      wait: {
        description: 'Waits a while.',
        handler: async (_, { progress }) => {
          progress(1);
          await new Promise((resolve) => setTimeout(resolve, 500));
          return 'waited';
        },
      },
      hang: { description: 'Never ends.', handler: (_, { progress }) => { progress(1); return new Promise(() => {}); } },
      much: { description: 'Says much.', handler: () => 'x'.repeat(20_000_000) },
      exit: { description: 'Would end the process.', handler: () => process.exit(3) },
    };`,
  },
);

/** Sends bytes as they are; everything that comes back until the connection is closed. */
async function raw(port: number, ...texts: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  for (const text of texts) socket.write(text);
  await once(socket, 'close');
  return answer;
}

/** What comes back to somebody who reads only after something else has happened. */
async function readLate(port: number, text: string, before: () => Promise<void>): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  await once(socket, 'readable');
  await before();
  const parts = await socket.setEncoding('utf8').toArray();
  return parts.join('');
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

describe('start --http', () => {
  test.each(Object.keys(modes) as Mode[])('serves the official client, %s', async (mode) => {
    const { url, end } = await serveHttpHere(fixture('bird-guide'));
    const client = await connectHttp(url, { mode });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
    expect(await end()).toBe(0);
  });

  test('keeps the rest of a long result for later requests of the client', async () => {
    const long = 'One line of many.\n'.repeat(5000);
    const folder = writeFolder({
      'package.json': { name: 'kit', version: '1.0.0', agenttools: { tools: ['log'] } },
      'agenttools/tools/log.json': { description: 'Has much to read.', handler: './log.js' },
      'log.js': `export default () => ${JSON.stringify(long)};`,
    });
    const { url, end } = await serveHttpHere(folder, { flags: ['--adapt'] });
    const clientInfo = { name: 'codex-mcp-client', version: '1' };
    const _meta = { ...envelope, 'io.modelcontextprotocol/clientInfo': clientInfo };
    const ask = async (method: string, params: object): Promise<Message> =>
      ((await (await fetch(modernRequest(url, method, { ...params, _meta }))).json()) as Message).result;
    const { content } = await ask('tools/call', { name: 'log', arguments: {} });
    const { uri } = content[1];
    expect(await ask('resources/read', { uri })).toMatchObject({
      contents: [{ uri, mimeType: 'text/plain', text: long }],
      cacheScope: 'private',
    });
    await end();
  });

  test('prints its URL alone on stdout, and what extensions print on stderr', async () => {
    const program = await startHttp(directory);
    const client = await connectHttp(program.url, { mode: 'pinned' });
    await client.callTool({ name: 'print' });
    const answered = (await client.callTool({ name: 'exit' })) as Message;
    expect(answered.isError).toBe(true);
    expect(program.stderr()).toContain(`Serving at ${program.url}`);
    expect(program.stderr()).toContain('printed');
    expect(await program.end()).toBe(0);
  });

  test('answers what is under way when a signal comes, and takes nothing more', async () => {
    const program = await startHttp(directory);
    const response = await fetch(
      modernRequest(program.url, 'tools/call', {
        name: 'wait',
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          progressToken: 1,
        },
      }),
    );
    const ended = program.end();
    expect(await response.text()).toContain('waited');
    expect(await ended).toBe(0);
    await expect(fetch(program.url)).rejects.toThrow();
  });

  test('stops waiting for running calls on a second signal', async () => {
    const program = await startHttp(directory, { flags: ['--drain', '3600'] });
    const name = 'hang';
    const response = await fetch(
      modernRequest(program.url, 'tools/call', { name, _meta: { ...envelope, progressToken: 1 } }),
    );
    const ended = program.end('SIGINT');
    const again = setInterval(() => program.child.kill('SIGINT'), 100);
    expect(await ended).toBe(0);
    clearInterval(again);
    await response.text().catch(() => {});
  });

  test('lets an answer leave whose reader is slow when a signal comes', async () => {
    const program = await startHttp(directory);
    let ended: Promise<number | null> | undefined;
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'much', _meta: envelope },
    });
    const head = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
    const own = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: much'];
    const lines = [...head, ...own, `Content-Length: ${body.length}`, '', body];
    const answer = await readLate(program.port, lines.join('\r\n'), async () => {
      ended = program.end();
      const reach = () => fetch(program.url).then(String, () => 'refused');
      await expect.poll(reach).toBe('refused');
    });
    expect(answer.length).toBeGreaterThan(20_000_000);
    expect(answer.endsWith('}')).toBe(true);
    expect(await ended).toBe(0);
  });

  test('ends subscriptions with their result', async () => {
    const program = await serveHttpHere(fixture('conformance'));
    const response = await fetch(
      modernRequest(program.url, 'subscriptions/listen', {
        notifications: { resourceSubscriptions: ['test://watched-resource'], toolsListChanged: true },
      }),
    );
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let heard = (await reader.read()).value ?? '';
    expect(heard).toContain('notifications/subscriptions/acknowledged');
    const ended = program.end();
    for (let part = await reader.read(); !part.done; part = await reader.read()) heard += part.value;
    expect(heard).toContain('"resultType":"complete"');
    expect(await ended).toBe(0);
  });

  test('reports its health', async () => {
    const { url } = await serveHttpHere(directory);
    expect(await (await fetch(new URL('/healthz', url))).json()).toEqual({ status: 'ok' });
    expect((await fetch(new URL('/', url))).status).toBe(404);
  });

  test('asks for the token of the variable', async () => {
    const flags = ['--token-env', 'TOKEN'];
    const { url } = await serveHttpHere(directory, { flags, env: { TOKEN: 'sesame-open-0123456789' } });
    expect((await fetch(modernRequest(url, 'tools/list'))).status).toBe(401);
    const headers = { Authorization: 'Bearer sesame-open-0123456789' };
    expect((await fetch(modernRequest(url, 'tools/list', {}, headers))).status).toBe(200);
    const client = await connectHttp(url, { mode: 'auto', headers });
    expect((await client.listTools()).tools).toHaveLength(5);
  });
});

describe('invalid HTTP', () => {
  let program: HttpProgram;

  beforeAll(async () => {
    program = await serveHttpHere(directory, { flags: ['--max-body', '1000'] });
  });

  test.each<[string, readonly string[], number]>([
    ['no HTTP', ['hello\r\n\r\n'], 400],
    [
      'headers that are too long',
      [`GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
      431,
    ],
    ["a stranger's host", ['GET /mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'], 403],
    ['a target that is none', ['GET http://[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'], 404],
    [
      'a body that says it is too long',
      [
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{',
      ],
      413,
    ],
    [
      'a body that is sent although it is too long',
      [
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90000000\r\n\r\n`,
        'x'.repeat(30_000_000),
      ],
      413,
    ],
    [
      'a body that turns out too long',
      [
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
        `800\r\n${'x'.repeat(2048)}\r\n`,
      ],
      413,
    ],
    [
      'two lengths',
      ['POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
      400,
    ],
  ])('%s is refused, and the connection closed', async (_, texts, status) => {
    const { port, url } = program;
    expect(statusOf(await raw(port, ...texts))).toBe(status);
    expect((await fetch(modernRequest(url, 'tools/list'))).status).toBe(200);
  });
});

test('accepts only given host names at an address that other machines can reach', async () => {
  // Another way to write 127.0.0.1 that is not taken for this machine's own.
  const { port } = await serveHttpHere(directory, { flags: ['--host', '127.1', '--insecure'] });
  const ask = async (host: string) =>
    statusOf(await raw(port, `GET /mcp HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));
  expect(await ask('evil.example')).toBe(403);
  for (const host of ['192.0.2.7:3000', '[2001:db8::7]', 'localhost']) expect(await ask(host)).not.toBe(403);
});

describe('start --http is refused', () => {
  test.each<[string, readonly string[], number, RegExp]>([
    ['where others can reach it', ['--host', '0.0.0.0'], 1, /--allowed-host .* and --token-env/],
    [
      'with a token but no name',
      ['--host', '0.0.0.0', '--token-env', 'HOME'],
      1,
      /Give --allowed-host .* addresses only/,
    ],
    ['with a variable that is not set', ['--token-env', 'NO_SUCH'], 1, /NO_SUCH/],
    ['with a variable of no name', ['--token-env', ''], 2, /Expected the name of an environment variable/],
    ['at no address of this machine', ['--host', '192.0.2.1', '--insecure'], 1, /does not have that address/],
    ['with a port that is none', ['--port', '99999'], 2, /port/],
    ['with an issuer and a token', ['--issuer', 'https://a.example', '--token-env', 'HOME'], 2, /not both/],
    ['with an issuer but no URL', ['--port', '0', '--issuer', 'https://a.example'], 2, /--public-url/],
    ['with scopes of no issuer', ['--port', '0', '--scope', 'tools'], 2, /require --issuer/],
    ['with a host that is a URL', ['--host', 'http://localhost'], 2, /without scheme and port/],
    ['with a host that has a port', ['--host', 'localhost:80'], 2, /without scheme and port/],
    [
      'with a name that is a URL',
      ['--port', '0', '--allowed-host', 'https://a.example'],
      2,
      /"https:\/\/a.example" is invalid/,
    ],
    ['with a name that is empty', ['--port', '0', '--allowed-host', ''], 2, /allowed host ""/],
    [
      'with an origin that is a name',
      ['--port', '0', '--allowed-origin', 'a.example'],
      2,
      /"a.example" is invalid/,
    ],
    [
      'with a bus that is not there',
      ['--port', '0', '--event-bus', 'no-bus.js'],
      1,
      /There is no event bus at/,
    ],
    ['with a bus that is none', ['--port', '0', '--event-bus', 'package.json'], 1, /event bus/],
  ])('%s', async (_, flags, code, message) => {
    const ended = await commandHere(['start', directory, '--http', ...flags]);
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(message) });
  });

  test.each([
    ['that no header can carry', 'open sesame', 'The value of TOKEN cannot be sent as a token.'],
    ['that others can guess', 'sesame', 'The token in TOKEN has 6 characters, so others can guess it.'],
  ])('with a token %s', async (_, TOKEN, message) => {
    const args = ['start', directory, '--http', '--port', '0', '--token-env', 'TOKEN'];
    const ended = await commandHere(args, { env: { TOKEN } });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });

  test('with a bus that fails', async () => {
    const text = "export default () => { throw new Error('no hub') };";
    const bus = path.join(writeFolder({ 'bus.js': text, 'package.json': { type: 'module' } }), 'bus.js');
    const ended = await commandHere(['start', directory, '--http', '--port', '0', '--event-bus', bus]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/bus.js cannot be used: no hub/) });
  });

  test('where something else listens', async () => {
    const { port } = await serveHttpHere(directory);
    const ended = await commandHere(['start', directory, '--http', '--port', String(port)]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('something else listens there') });
  });

  test('without --http its words are not known', async () => {
    const ended = await commandHere(['start', directory, '--port', '0']);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('options with --http') });
  });
});
