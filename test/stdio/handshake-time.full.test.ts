import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modern } from '../engine/support/pipe.js';
import { initializeMessage, modernRequest, postRequest } from '../support/http-client.js';
import { startHttp } from '../support/http-program.js';
import { packageJson, writeFolder } from '../support/packages.js';
import { startProgram } from '../support/program.js';

/** Patience of the strictest client from its start of a server to the answer of its handshake, in milliseconds. */
const strictestMs = 3000;

/** Makes the lookup of one host endless. */
const slowLookup = `const dns = require('node:dns');
const { lookup } = dns;
dns.lookup = (host, ...rest) => (host === 'slow.invalid' ? undefined : lookup(host, ...rest));`;

const silent = createServer(() => {});
let silentUrl = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
});
afterAll(() => void silent.close().closeAllConnections());

const hanging = ['-e', 'setTimeout(() => {}, 600_000)'];
const crashing = ['-e', 'process.exit(4)'];
const program = (args: readonly string[]) => ({ command: process.execPath, args });

function writeExtension(): string {
  const upstreams = [
    { upstream: program(hanging) },
    { upstream: { url: silentUrl } },
    { upstream: { url: 'http://slow.invalid/mcp' } },
    { upstream: program(crashing) },
  ];
  return writeFolder({
    'package.json': packageJson({ tools: ['own'], servers: ['main'] }),
    'agenttools/tools/own.json': { description: 'Is there.', handler: './own.js' },
    'own.js': 'export default () => "own";',
    'agenttools/servers/main.json': { tools: ['own', ...upstreams] },
  });
}

const env = () => ({
  NODE_OPTIONS: `--require=${path.join(writeFolder({ 'dns.cjs': slowLookup }), 'dns.cjs')}`,
});

type Words = () => readonly [string | undefined, ...string[]];

const references: readonly (readonly [string, Words])[] = [
  ['a server with four upstream servers that never come', () => [writeExtension()]],
  ['an HTTP server that hangs', () => [silentUrl]],
  ['a host that is looked up without end', () => ['http://slow.invalid/mcp']],
];

const commands: readonly (readonly [string, Words])[] = [
  ['a program that hangs', () => [undefined, '--', process.execPath, ...hanging]],
  ['a program that crashes', () => [undefined, '--', process.execPath, ...crashing]],
];

async function expectInTime<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const answer = await work();
  expect(performance.now() - startedAt).toBeLessThan(strictestMs);
  return answer;
}

const retries = { retry: 1 };

describe.each([...references, ...commands])('%s does not delay over stdio', (_, words) => {
  const open = () => {
    const [server, ...flags] = words();
    return startProgram(server, { flags, env: env() });
  };

  test('initialize', retries, async () => {
    const [started, { capabilities }] = await expectInTime(async () => {
      const one = open();
      return [one, await one.initialize()] as const;
    });
    expect(capabilities.tools).toEqual({ listChanged: true });
    started.kill();
  });

  test('server/discover', retries, async () => {
    const [started, { result }] = await expectInTime(async () => {
      const one = open();
      return [one, await one.ask(modern(1, 'server/discover'))] as const;
    });
    expect(result.capabilities.tools).toEqual({ listChanged: true });
    started.kill();
  });
});

describe.each(references)('%s does not delay over HTTP', (_, words) => {
  test.each([
    ['initialize', (url: string) => postRequest(url, initializeMessage())],
    ['server/discover', (url: string) => modernRequest(url, 'server/discover')],
  ])('%s', retries, async (__, request) => {
    const [server, ...flags] = words();
    const started = await startHttp(server!, { flags, env: env() });
    const text = await expectInTime(async () => await (await fetch(request(started.url))).text());
    expect(text).toContain('"tools":{"listChanged":true}');
    await started.end('SIGKILL');
  });
});
