import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { getJson, getTarball, type RegistryFault } from '../../../src/engine/npm/registry.js';
import { readNpmSettings } from '../../../src/engine/npm/settings.js';
import { writeFolder } from '../../support/packages.js';

let server: Server;
let base: string;
const asked: string[] = [];
/** What nobody listens to any more. */
const closed: string[] = [];

function* endless() {
  for (;;) yield randomBytes(65_536);
}

beforeAll(async () => {
  server = createServer(({ url = '', headers }, response) => {
    asked.push(`${url} ${headers.authorization ?? '-'} ${headers['if-none-match'] ?? '-'}`);
    const [, status] = /^\/status\/(\d+)/.exec(url) ?? [];
    if (status !== undefined) return void response.writeHead(Number(status)).end('{"error":"no"}');
    if (url === '/text') return void response.end('<html>');
    if (url === '/big') return void response.end(JSON.stringify('x'.repeat(5000)));
    if (url === '/kept') {
      if (headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
      return void response.writeHead(200, { etag: '"1"', 'cache-control': 'max-age=0' }).end('{"kept":true}');
    }
    if (url === '/silent') return;
    if (url === '/endless') {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const packed = createGzip({ level: 0 });
      pipeline(Readable.from(endless()), packed, response, () => closed.push(url));
      return;
    }
    if (url.startsWith('/varies')) {
      return void response
        .writeHead(200, { etag: '"2"', vary: 'authorization' })
        .end(JSON.stringify({ url }));
    }
    if (url === '/not-to-be-kept') {
      return void response.writeHead(200, { etag: '"3"', 'cache-control': 'private, no-store' }).end('{}');
    }
    response.end(JSON.stringify({ url }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function settingsOf(npmrc: string) {
  const home = writeFolder({ '.npmrc': npmrc });
  return await readNpmSettings({ env: {}, home, platform: 'linux', execPath: process.execPath });
}

describe('a registry is asked', () => {
  it('with the credentials that npm has for it, and for nothing else', async () => {
    const settings = await settingsOf(
      `registry=${base}\n//${new URL(base).host}/:_authToken=t0ken\n//other.example/:_authToken=other\n`,
    );
    const answer = await getJson('/weather', { settings, maxBytes: 1000, query: { size: 2 } });
    expect(answer).toEqual({ url: '/weather?size=2' });
    expect(asked.at(-1)).toBe('/weather?size=2 Bearer t0ken -');
  });

  it.each<[string, RegistryFault, RegExp]>([
    ['status/401', 'unauthorized', /^\/status\/401 at 127\.0\.0\.1:\d+ requires credentials/],
    ['status/403', 'unauthorized', /credentials/],
    ['status/404', 'not-found', /was not found/],
    ['status/405', 'unsupported', /is not supported/],
    ['status/418', 'failed', /418/],
    ['text', 'malformed', /did not return JSON/],
    ['big', 'too-large', /too large/],
    ['silent', 'offline', /cannot be reached/],
  ])('%s: %s', async (path, fault, message) => {
    const settings = await settingsOf(`registry=${base}\n`);
    const asking = getJson(`/${path}`, { settings, maxBytes: 1000, timeoutMs: 300 });
    await expect(asking).rejects.toMatchObject({ fault, message: expect.stringMatching(message) });
  });

  it('with an error if the connection is refused', async () => {
    const settings = await settingsOf('registry=http://127.0.0.1:9/\n');
    await expect(getJson('/a', { settings, maxBytes: 1000 })).rejects.toMatchObject({
      fault: 'offline',
      message: '/a at 127.0.0.1:9 cannot be reached (ECONNREFUSED).',
    });
  });

  it('reports a registry without TLS', async () => {
    const settings = await settingsOf(`registry=${base.replace('http:', 'https:')}\n`);
    await expect(getJson('/a', { settings, maxBytes: 1000 })).rejects.toMatchObject({
      fault: 'failed',
      message: expect.stringMatching(/^\/a at 127\.0\.0\.1:\d+ could not be read: (?!request).*SSL/),
    });
  });

  it('reports an invalid registry URL', async () => {
    const settings = await settingsOf('registry=somewhere\n');
    await expect(getJson('/@acme%2Fa', { settings, maxBytes: 1000 })).rejects.toMatchObject({
      fault: 'failed',
      message: 'The npm settings have an invalid registry address for /@acme/a.',
    });
  });

  it('for what has changed only, where answers are kept', async () => {
    const settings = await settingsOf(`registry=${base}\n`);
    const cacheFolder = writeFolder();
    for (const _ of [1, 2]) {
      expect(await getJson('/kept', { settings, maxBytes: 1000, cacheFolder })).toEqual({ kept: true });
    }
    expect(asked.filter((one) => one.startsWith('/kept'))).toEqual(['/kept - -', '/kept - "1"']);
  });

  it('again if the cache is damaged, and each time if it forbids caching', async () => {
    const settings = await settingsOf(`registry=${base}\n`);
    const cacheFolder = writeFolder();
    const get = async (path: string) => await getJson(path, { settings, maxBytes: 1000, cacheFolder });
    await get('/not-to-be-kept');
    expect(readdirSync(cacheFolder)).toEqual([]);
    await get('/kept');
    const [file] = readdirSync(cacheFolder);
    writeFileSync(path.join(cacheFolder, file!), '{"etag":');
    expect(await get('/kept')).toEqual({ kept: true });
    expect(asked.at(-1)).toBe('/kept - -');
  });

  it('caches responses without credentials, readable by the user only', async () => {
    const { host } = new URL(base);
    const settings = await settingsOf(`registry=${base}\n//${host}/:_authToken=t0ken-of-ada\n`);
    const cacheFolder = path.join(writeFolder(), 'cache');
    await getJson('/varies', { settings, maxBytes: 1000, cacheFolder });
    expect(asked.at(-1)).toBe('/varies Bearer t0ken-of-ada -');
    const registry = `http://ada:pa55word@${host}/`;
    await getJson('/varies-too', { settings, registry, maxBytes: 1000, cacheFolder });
    const files = readdirSync(cacheFolder, { recursive: true, withFileTypes: true });
    expect(files.length).toBe(2);
    for (const { parentPath, name } of files) {
      const file = path.join(parentPath, name);
      expect(readFileSync(file, 'utf8') + file).not.toMatch(/t0ken-of-ada|pa55word|YWRhOnBhNTV3b3Jk/);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(statSync(cacheFolder).mode & 0o777).toBe(0o700);
  });

  it.each([
    'http://ada:pa55word@127.0.0.1:9/',
    'gopher://ada:pa55word@127.0.0.1/',
    'http://ada:pa55word@:x/',
  ])('keeps its password out of messages: %s', async (registry) => {
    const settings = await settingsOf(`registry=${base}\n`);
    const asking = getJson('/a', { settings, registry, maxBytes: 1000 });
    await expect(asking).rejects.toMatchObject({ name: 'RegistryError' });
    await expect(asking).rejects.not.toThrow('pa55word');
  });

  it('no longer than it is listened to, and no part of what still comes breaks anything', async () => {
    const settings = await settingsOf(`registry=${base}\n`);
    const asking = getJson('/endless', { settings, maxBytes: 100_000 });
    await expect(asking).rejects.toMatchObject({ fault: 'too-large' });
    await vi.waitUntil(() => closed.includes('/endless'), { timeout: 20_000 });
  });

  it('until an abort', async () => {
    const settings = await settingsOf(`registry=${base}\n`);
    const stop = new AbortController();
    const asking = getJson('/silent', { settings, maxBytes: 1000, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});

describe('a tarball', () => {
  it('is what was published, or refused', async () => {
    const settings = await settingsOf(`registry=${base}\n`);
    const integrity = `sha512-${createHash('sha512').update('{"url":"/a.tgz"}').digest('base64')}`;
    const bytes = await getTarball(`${base}a.tgz`, integrity, { settings, maxBytes: 1000 });
    expect(bytes.toString()).toBe('{"url":"/a.tgz"}');
    await expect(getTarball(`${base}b.tgz`, integrity, { settings, maxBytes: 1000 })).rejects.toMatchObject({
      fault: 'malformed',
      message: expect.stringContaining('b.tgz'),
    });
  });
});
