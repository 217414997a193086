import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Authority, createAuthority } from '../support/authority.js';
import { writeFolder } from '../support/packages.js';
import { runProgram } from '../support/program.js';
import { startProxy, type TestProxy } from '../support/proxy.js';
import { runCli } from '../support/run-cli.js';
import { fullTest } from '../support/tier.js';

/** Hosts that only the proxy knows. Their certificates are of a private authority. */
const hosts = ['mcp.example', 'registry.example'] as const;

let authority: Authority;
let server: ReturnType<typeof createServer>;
let proxy: TestProxy;
let home: string;

beforeAll(async () => {
  authority = createAuthority();
  server = createServer(authority.issue(...hosts), async (request, response) => {
    const { id, method } = JSON.parse((await text(request)) || '{}');
    const headers = { 'content-type': 'application/json' };
    if (request.headers.host === 'registry.example')
      return void response.writeHead(200, headers).end('{"objects":[],"total":0}');
    if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    const serverInfo = { name: 'far', version: '1.0.0' };
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
        : method === 'tools/list'
          ? { tools: [{ name: 'find', inputSchema: { type: 'object' } }] }
          : { content: [{ type: 'text', text: 'found' }] };
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  proxy = await startProxy(() => (server.address() as AddressInfo).port);
});

afterAll(() => {
  proxy.close();
  server.closeAllConnections();
  server.close();
});

let asked: number;
beforeEach(() => {
  asked = proxy.requests.length;
  home = writeFolder();
  writeFileSync(path.join(home, 'ca.pem'), authority.ca);
});

const newRequests = () => [...new Set(proxy.requests.slice(asked))];
const call = ['call', 'https://mcp.example/mcp', 'find', '{}'];
const npmrc = (...lines: readonly string[]) => writeFileSync(path.join(home, '.npmrc'), lines.join('\n'));

async function run(words: readonly string[], env: Record<string, string> = {}) {
  const PATH = path.dirname(process.execPath);
  return await runCli(words, { home, cwd: home, env: { PATH, HOME: home, ...env } });
}

describe('a remote server', () => {
  it.each([
    ['HTTPS_PROXY and cafile', () => npmrc(`cafile=${home}/ca.pem`), () => ({ HTTPS_PROXY: proxy.url })],
    ['settings of npm', () => npmrc(`https-proxy=${proxy.url}`, `cafile=${home}/ca.pem`), () => ({})],
    [
      'variables of npm',
      () => {},
      () => ({ npm_config_https_proxy: proxy.url, npm_config_cafile: path.join(home, 'ca.pem') }),
    ],
  ])('is reached by %s', async (_, write, env) => {
    write();
    expect(await run(call, env() as Record<string, string>)).toMatchObject({ code: 0, stdout: 'found\n' });
    expect(newRequests()).toEqual(['CONNECT mcp.example:443']);
  });

  it('is reached by HTTPS_PROXY and NODE_EXTRA_CA_CERTS of the process', async () => {
    const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: path.join(home, 'ca.pem'), HOME: home };
    const called = await runProgram(call, { cwd: home, env });
    expect(called).toMatchObject({ stdout: 'found\n' });
    expect(newRequests()).toEqual(['CONNECT mcp.example:443']);
  });

  it('is asked for its sign-in through them', async () => {
    npmrc(`https-proxy=${proxy.url}`, `cafile=${home}/ca.pem`);
    const { code, stderr } = await run(['login', 'https://mcp.example/mcp']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: https://mcp.example/mcp asks for no sign-in.\n',
    });
    expect(newRequests()).toEqual(['CONNECT mcp.example:443']);
  });

  fullTest('is checked and installed by them', async () => {
    npmrc(`https-proxy=${proxy.url}`, `cafile=${home}/ca.pem`);
    const [, url = ''] = call;
    expect(await run(['install', 'cursor', url])).toMatchObject({ code: 0 });
    const { stdout, stderr } = await run(['validate', url]);
    expect(stdout + stderr).not.toContain('cannot be reached');
  });

  it('names the settings of the shell that the client app does not get', async () => {
    npmrc(`cafile=${home}/ca.pem`);
    const [, url = ''] = call;
    const words = ['install', 'cursor', url, '--only', 'find'];
    const { code, stderr } = await run(words, { HTTPS_PROXY: proxy.url });
    expect(code).toBe(0);
    expect(stderr).toContain('is unavailable: getaddrinfo');
    expect(stderr).toContain('without HTTPS_PROXY of your shell, which Cursor may not have either.');
    expect(stderr).toContain('npm config set https-proxy "$HTTPS_PROXY"');
    npmrc(`cafile=${home}/ca.pem`, `https-proxy=${proxy.url}`);
    const again = await run(words, { HTTPS_PROXY: proxy.url });
    expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('HTTPS_PROXY') });
  });

  it('is not trusted without its authority', async () => {
    const { code, stderr } = await run(call, { HTTPS_PROXY: proxy.url });
    expect(code).toBe(1);
    expect(stderr).toContain('unable to verify the first certificate');
  });
});

it('asks registries through the proxy, and trusts their authority', async () => {
  npmrc('registry=https://registry.example/', `https-proxy=${proxy.url}`, `cafile=${home}/ca.pem`);
  const { code, stderr } = await run(['list-servers', '--remote', 'tickets', '--mcp-registry', 'none']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(newRequests()).toEqual(['CONNECT registry.example:443']);
});
