import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { boardServer } from '../../support/board-server.js';
import { writeFolder } from '../../support/packages.js';
import { prepareExtension, runPreview } from '../../support/preview.js';
import { bareEnvironment, programFile } from '../../support/program.js';

const prepared = prepareExtension();

/** What a request without a browser is answered with. */
async function statusOf(
  address: string,
  { method = 'GET', ...headers }: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const asking = request(address, { method, headers });
  asking.end();
  const [response] = await once(asking, 'response');
  response.resume();
  return response.statusCode;
}

describe('the page of a preview', () => {
  test('is for those alone who know its address and come by it', async () => {
    const { url } = await prepared.open();
    const { origin, port, pathname } = new URL(url);
    const json = { method: 'POST', 'content-type': 'application/json' };
    expect(await statusOf(url)).toBe(200);
    expect(await statusOf(url, { 'sec-fetch-site': 'none' })).toBe(200);
    expect(await statusOf(`${url}report`, { ...json, origin, 'content-length': '0' })).toBe(500);
    for (const [address, headers] of [
      [origin, {}],
      [`${origin}/wrong${pathname}`, {}],
      [`${origin}${pathname.slice(0, -2)}/`, {}],
      [`${origin}/events`, {}],
      [url, { host: `attacker.example:${port}` }],
      [url, { host: `localhost:${port}` }],
      [url, { origin: 'http://attacker.example' }],
      [url, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
      [`${url}request`, { ...json, origin: 'null' }],
      [`${url}request`, { ...json, 'content-length': '0' }],
    ] as const) {
      expect(await statusOf(address, headers), JSON.stringify([address, headers])).toBe(403);
    }
    expect(await statusOf(`${url}request`, { method: 'POST', origin })).toBe(415);
    expect(await statusOf(`${url}../page.ts`)).toBe(403);
    expect(await statusOf(`${url}frame.html`)).toBe(404);
  });

  test('is not served for a server that has no such app', async () => {
    await expect(prepared.open({ app: 'viewr' })).rejects.toThrow(
      'There is no app "viewr". Did you mean "viewer"?',
    );
  });
});

describe('the program', () => {
  test('explains how to get Chromium if it is missing', async () => {
    const env = { PATH: prepared.directory, AGENTTOOLS_CHROMIUM: './none' };
    const named = await runPreview(
      prepared.directory,
      ['--screenshot', 'a.png', '--tool', 'forecast', '--arguments', '{"place":"Bonn"}'],
      env,
    );
    expect(named.code).toBe(1);
    expect(named.stderr).toContain(`AGENTTOOLS_CHROMIUM names ${path.join(prepared.directory, 'none')}`);
    expect(named.stderr).toContain('Install Chromium or Chrome');
  });

  test('prints the address, and ends with its server when a signal comes', async () => {
    const child = startPreview([prepared.directory]);
    const { url, server, apps } = await printedFacts(child);
    expect(server).toBe('@acme/weather/weather');
    expect(apps.map(({ name }: { name: string }) => name)).toEqual(['viewer', 'mute']);
    expect(await statusOf(url)).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    await expect(statusOf(url)).rejects.toThrow('ECONNREFUSED');
  });

  test('shows the apps of an existing server', async () => {
    const server = path.join(writeFolder({ 'board.mjs': boardServer }), 'board.mjs');
    const child = startPreview(['--env', 'TOKEN=rose', '--', process.execPath, server, 'a']);
    const facts = await printedFacts(child);
    expect(facts).toMatchObject({ server: 'board', apps: [{ uri: 'ui://board/main' }] });
    expect(await statusOf(facts.url)).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});

const startPreview = (words: readonly string[]): ChildProcessByStdio<null, Readable, Readable> =>
  spawn(process.execPath, [programFile, 'preview', '--json', ...words], {
    cwd: prepared.directory,
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function printedFacts({ stdout }: { readonly stdout: Readable }) {
  let printed = '';
  for await (const text of stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    printed += text;
    if (printed.endsWith('}\n')) break;
  }
  return JSON.parse(printed);
}
