import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../support/program.js';
import { type Bench, eras, openBench } from './support.js';

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'agenttools-real-')));
const started: ChildProcess[] = [];

afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

const programOf = (name: string, ...args: string[]) => ({
  place: {
    command: process.execPath,
    args: [path.join(root, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
    env: { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') },
    cwd: folder,
  },
});

const addresses = new Map<string, Promise<string>>();

/** The address of the everything server, which is started once for each way to speak to it. */
function everythingAt(transport: 'sse' | 'streamableHttp'): Promise<string> {
  const address = addresses.get(transport) ?? startEverything(transport);
  addresses.set(transport, address);
  return address;
}

/** It is given a port, which another program may take before it does; then it is given another one. */
async function startEverything(transport: 'sse' | 'streamableHttp', attempts = 3): Promise<string> {
  const port = await freePort();
  const { place } = programOf('everything', transport);
  const child = spawn(place.command, place.args, { env: { ...process.env, PORT: `${port}` }, stdio: 'pipe' });
  started.push(child);
  let said = '';
  const isThere = await new Promise<boolean>((resolve) => {
    const look = (text: Buffer) => {
      said += text;
      if (/listening|running/i.test(said)) resolve(true);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => resolve(false));
  });
  if (isThere) return `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`;
  if (attempts === 1) throw new Error(said);
  return await startEverything(transport, attempts - 1);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('servers from npm that ask where the client works', () => {
  const result = { roots: [{ uri: pathToFileURL(folder).href, name: 'Work' }] };
  const options = { capabilities: { roots: {} }, ...result };

  /** Such a server may ask a little later than it is called. */
  const saysSoon = async (bench: Bench, tool: string): Promise<string> => {
    for (;;) {
      const said = await bench.says(tool);
      if (said.includes(folder)) return said;
    }
  };

  test('filesystem: allows the folders of the client when it is given none', async () => {
    const bench = await openBench([programOf('filesystem')], options);
    await bench.names();
    expect(await saysSoon(bench, 'list_allowed_directories')).toBe(`Allowed directories:\n${folder}`);
    writeFileSync(path.join(folder, 'there.txt'), 'allowed');
    expect(await bench.says('read_text_file', { path: path.join(folder, 'there.txt') })).toBe('allowed');
  });

  test('everything: lists the roots of the client', async () => {
    const bench = await openBench([programOf('everything')], options);
    await bench.names();
    // It asks a while after its start, or within the call that comes sooner.
    void bench.hears('roots/list').then(({ id }) => bench.pipe.send({ jsonrpc: '2.0', id, result }));
    expect(await bench.says('get-roots-list')).toContain(pathToFileURL(folder).href);
  });
});

describe.each(eras)('servers from npm, for a client of the %s era', (era) => {
  test('everything: echoes, counts and reports progress over its pipes', async () => {
    const bench = await openBench([programOf('everything')], { era });
    const names = await bench.names();
    expect(names).toContain('echo');
    expect(await bench.says('echo', { message: 'hi' })).toBe('Echo: hi');
    expect(await bench.says('get-sum', { a: 2, b: 3 })).toBe('The sum of 2 and 3 is 5.');
    const args = { duration: 0.2, steps: 2 };
    await bench.call('trigger-long-running-operation', args, { progressToken: 'p' });
    const { params } = await bench.hears('notifications/progress');
    expect(params).toMatchObject({ progressToken: 'p', progress: 1, total: 2 });
  });

  test('filesystem: reads a file of its folder and refuses other files', async () => {
    writeFileSync(path.join(folder, 'note.txt'), 'remember');
    const bench = await openBench([programOf('filesystem', folder)], { era });
    const result = await bench.call('read_text_file', { path: path.join(folder, 'note.txt') });
    expect(result.content[0].text).toBe('remember');
    const refused = await bench.call('read_text_file', { path: '/etc/hostname' });
    expect(refused.isError).toBe(true);
    expect(refused.content[0].text).toContain('Access denied');
  });

  test('memory: keeps entities', async () => {
    const bench = await openBench([programOf('memory')], { era });
    const entity = { name: `Ada ${era}`, entityType: 'person', observations: ['likes numbers'] };
    await bench.call('create_entities', { entities: [entity] });
    const { structuredContent } = await bench.call('search_nodes', { query: entity.name });
    expect(structuredContent.entities).toMatchObject([entity]);
  });

  test.each([
    ['streamableHttp', 'http'],
    ['sse', 'sse'],
  ] as const)('everything: echoes at an address (%s)', async (way, transport) => {
    const url = await everythingAt(way);
    const bench = await openBench([{ place: { url, headers: {}, transport } }], { era });
    expect(await bench.names()).toContain('echo');
    expect(await bench.says('echo', { message: 'hi' })).toBe('Echo: hi');
  });
});
