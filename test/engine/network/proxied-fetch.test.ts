import { once } from 'node:events';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConnectionSettings } from '../../../src/engine/network/connection-settings.js';
import { createProxiedFetch } from '../../../src/engine/network/proxied-fetch.js';
import { type Authority, createAuthority } from '../../support/authority.js';
import { startProxy, type TestProxy } from '../../support/proxy.js';

let answer: RequestListener;
let authority: Authority;
let secure: ReturnType<typeof createServer>;
const plain = createPlainServer((...both) => answer(...both));
let toSecure: TestProxy;
let toPlain: TestProxy;
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  authority = createAuthority();
  secure = createServer(authority.issue('mcp.example', 'other.example'), (...both) => answer(...both));
  await once(secure.listen(0, '127.0.0.1'), 'listening');
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  toSecure = await startProxy(() => portOf(secure));
  toPlain = await startProxy(() => portOf(plain));
});

afterAll(() => {
  for (const one of [toSecure, toPlain]) one.close();
  for (const one of [secure, plain]) {
    one.closeAllConnections();
    one.close();
  }
});

beforeEach(() => {
  answer = async (request, response) => {
    const { method, url, headers } = request;
    const body = await text(request);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ method, url, headers, body }));
  };
});

async function open(env: Record<string, string>, options: Record<string, unknown> = { ca: authority.ca }) {
  return createProxiedFetch((await readConnectionSettings(options, env))!);
}

describe('a request', () => {
  it('goes through a tunnel of the proxy, and trusts a private authority', async () => {
    const send = await open({ HTTPS_PROXY: toSecure.url.replace('//', '//user:pass@') });
    const response = await send('https://mcp.example/mcp?x=1', {
      method: 'POST',
      headers: { 'X-Key': 'k' },
      body: '{"a":1}',
    });
    expect([response.status, response.url, response.redirected]).toEqual([
      200,
      'https://mcp.example/mcp?x=1',
      false,
    ]);
    expect(await response.json()).toMatchObject({
      method: 'POST',
      url: '/mcp?x=1',
      body: '{"a":1}',
      headers: { 'x-key': 'k', 'content-length': '7', host: 'mcp.example' },
    });
    expect(toSecure.requests.at(-1)).toBe('CONNECT mcp.example:443');
    expect(toSecure.authorizations.at(-1)).toBe(`Basic ${btoa('user:pass')}`);
  });

  it('over plain HTTP goes to the proxy as a whole', async () => {
    const send = await open({ HTTP_PROXY: toPlain.url }, {});
    const response = await send('http://mcp.example/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'x' }),
    });
    const { headers, body } = (await response.json()) as { headers: Record<string, string>; body: string };
    expect([headers['content-type'], body]).toEqual([
      'application/x-www-form-urlencoded;charset=UTF-8',
      'grant_type=x',
    ]);
    expect(toPlain.requests.at(-1)).toBe('POST http://mcp.example/token');
  });

  it('fails like one of Node without the authority, or without the proxy', async () => {
    const untrusted = await open({ HTTPS_PROXY: toSecure.url }, {});
    const failure = await untrusted('https://mcp.example/').catch((error: Error) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({
      message: 'fetch failed',
      cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    });
    const closed = await open({ HTTPS_PROXY: 'http://127.0.0.1:9' });
    await expect(closed('https://mcp.example/')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    const unchecked = await open({ HTTPS_PROXY: toSecure.url }, { strictSSL: false });
    expect((await unchecked('https://mcp.example/')).status).toBe(200);
  });

  it('fails if the certificate names another host', async () => {
    const send = await open({ HTTPS_PROXY: toSecure.url });
    await expect(send('https://wrong.example/')).rejects.toMatchObject({
      cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
  });

  it('reaches this machine without the proxy', async () => {
    const send = await open({ HTTP_PROXY: toPlain.url }, {});
    const before = toPlain.requests.length;
    expect((await send(`http://127.0.0.1:${portOf(plain)}/`)).status).toBe(200);
    expect(toPlain.requests.length).toBe(before);
  });

  it('ends at its signal, before and during the answer', async () => {
    const send = await open({ HTTPS_PROXY: toSecure.url });
    const reason = new Error('enough');
    await expect(send('https://mcp.example/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const control = new AbortController();
    answer = () => control.abort(reason);
    await expect(send('https://mcp.example/', { signal: control.signal })).rejects.toBe(reason);
    const later = new AbortController();
    answer = (_, response) => void response.write('data: 1\n\n');
    const { body } = await send('https://mcp.example/', { signal: later.signal });
    const reader = body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n');
    later.abort(reason);
    await expect(reader.read()).rejects.toThrow();
  });

  it('has an empty answer for 202 and 204', async () => {
    const send = await open({ HTTPS_PROXY: toSecure.url });
    for (const status of [202, 204]) {
      answer = (_, response) => void response.writeHead(status).end();
      const response = await send('https://mcp.example/', { method: 'POST', body: '{}' });
      expect([response.status, await response.text()]).toEqual([status, '']);
    }
  });
});

describe('a redirect', () => {
  const visited: string[] = [];

  beforeEach(() => {
    visited.length = 0;
    answer = async ({ url, method, headers }, response) => {
      visited.push(`${method} ${headers.host}${url} ${headers.authorization}`);
      const targets: Record<string, string> = {
        '/here': '/end',
        '/there': 'https://other.example/end',
        '/loop': '/loop',
      };
      const target = targets[url ?? ''];
      if (target) response.writeHead(url === '/there' ? 307 : 302, { location: target }).end();
      else response.end('end');
    };
  });

  const init = { method: 'POST', body: '{}', headers: { Authorization: 'Bearer t' } };

  it('is followed, and credentials stay with their origin', async () => {
    const send = await open({ HTTPS_PROXY: toSecure.url });
    const response = await send('https://mcp.example/here', init);
    expect([response.url, response.redirected]).toEqual(['https://mcp.example/end', true]);
    await send('https://mcp.example/there', init);
    expect(visited).toEqual([
      'POST mcp.example/here Bearer t',
      'GET mcp.example/end Bearer t',
      'POST mcp.example/there Bearer t',
      'POST other.example/end undefined',
    ]);
  });

  it('is left to the caller, or is an error, as requested', async () => {
    const send = await open({ HTTPS_PROXY: toSecure.url });
    const manual = await send('https://mcp.example/here', { redirect: 'manual' });
    expect([manual.status, manual.headers.get('location')]).toEqual([302, '/end']);
    await expect(send('https://mcp.example/here', { redirect: 'error' })).rejects.toThrow('fetch failed');
    await expect(send('https://mcp.example/loop')).rejects.toMatchObject({
      cause: { message: 'redirect count exceeded' },
    });
  });
});
