import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readManifest } from '../../src/engine/extension/manifest.js';
import { bootExtension } from '../../src/engine/preflight/boot-extension.js';
import { ChildTransport } from '../../src/engine/upstream/child-transport.js';
import { type Files, writeFolder } from '../support/packages.js';
import { programFile, root } from '../support/program.js';
import { runCli } from '../support/run-cli.js';

const env = { ...process.env };
const hello = { 'agenttools/tools/hello.js': "export default { description: 'x', handler: () => 'x' };" };
const declaring = (name: string, agenttools: unknown) => ({
  name,
  version: '1.0.0',
  type: 'module',
  agenttools,
});

/** What booting the package in a sub-folder of `files` says. */
/** Messages of all findings. A busy machine may start any server slowly. */
async function boot(files: Files, folder: string): Promise<readonly string[]> {
  const diagnostics = await diagnosticsOf(files, folder);
  return diagnostics.filter(({ code }) => code !== 'slow-start').map(({ message }) => message);
}

async function diagnosticsOf(files: Files, folder: string, more: object = {}) {
  const cwd = writeFolder(files);
  const manifest = await readManifest(path.join(cwd, folder));
  const command = { command: process.execPath, args: [programFile], cwd };
  const limits = { timeoutMs: 20_000, initializes: true };
  const { diagnostics } = await bootExtension(manifest, { ...command, ...limits, env: { ...env, ...more } });
  return diagnostics;
}

const packages: Readonly<Record<string, readonly [folder: string, files: Files]>> = {
  'a declared server': [
    'kit',
    {
      'kit/package.json': declaring('@acme/kit', { tools: ['hello'], servers: ['weather'] }),
      'kit/agenttools/servers/weather.json': { tools: ['hello'] },
    },
  ],
  'a declared server beside a package of its name': [
    'kit',
    {
      'kit/package.json': declaring('kit', { tools: ['hello'], servers: ['weather'] }),
      'kit/agenttools/servers/weather.json': { tools: ['hello'] },
      'kit/weather/package.json': { name: 'weather', version: '1.0.0' },
    },
  ],
  'a server that nobody declared': ['kit', { 'kit/package.json': declaring('kit', { tools: ['hello'] }) }],
  'a server that nobody declared, of a package whose name leads out of it': [
    'kit',
    { 'package.json': { name: 'outer' }, 'kit/package.json': declaring('@x/..', { tools: ['hello'] }) },
  ],
  'a declared server of a package whose name is none': [
    'kit',
    {
      'kit/package.json': declaring('My Plug/in', { servers: ['weather'] }),
      'kit/agenttools/servers/weather.json': { tools: [] },
    },
  ],
};

test.concurrent.for(Object.entries(packages))('%s is started', async ([, [folder, files]], { expect }) => {
  const tools = Object.entries(hello).map(([file, text]) => [path.posix.join(folder, file), text]);
  expect(await boot({ ...files, ...Object.fromEntries(tools) }, folder)).toEqual([]);
});

test('reports a server with faulty lists', async () => {
  const said = await boot(
    {
      'kit/package.json': declaring('@acme/kit', {
        tools: ['hello'],
        resources: ['row'],
        servers: ['weather', 'misled'],
      }),
      'kit/agenttools/tools/hello.js': hello['agenttools/tools/hello.js'],
      'kit/agenttools/resources/row.js':
        "export default { uriTemplate: 'db://{id}', read: () => 'x', list: () => { throw new Error('no rows'); } };",
      'kit/agenttools/servers/weather.js':
        "export default { tools: '*', resources: '*', list: { tools: () => { throw new Error('no luck'); } } };",
      'kit/agenttools/servers/misled.js':
        "export default { tools: '*', list: { tools: () => ['hello', 'helo'] } };",
    },
    'kit',
  );
  expect(said).toEqual([
    'Server "weather" has faulty lists: @acme/kit/weather: the list of tools is the usual one, since its hook failed: Error: no luck',
    'Server "weather" has faulty lists: @acme/kit/row: its list failed: Error: no rows',
    'Server "misled" has faulty lists: @acme/kit/misled: the hook of its list of tools gave what the server does not have; left out: "helo". A hook gives names of its tools, or items of registry.list().',
  ]);
});

test('reports each "initialize" that fails, at the tool, and leaves out tools with missing requirements', async () => {
  const tool = (more: object) => ({ description: 'x', handler: './lib.js#run', ...more });
  const diagnostics = await diagnosticsOf(
    {
      'kit/package.json': declaring('@acme/kit', {
        tools: ['fine', 'broken', 'ends', 'poor'],
        servers: ['all', 'one'],
      }),
      'kit/agenttools/servers/all.json': { tools: '*' },
      'kit/agenttools/servers/one.json': { tools: ['broken'], initialize: './lib.js#run' },
      'kit/agenttools/tools/fine.json': tool({ initialize: './lib.js#run' }),
      'kit/agenttools/tools/broken.json': tool({ initialize: './lib.js#fail' }),
      'kit/agenttools/tools/ends.json': tool({ initialize: './lib.js#end' }),
      'kit/agenttools/tools/poor.json': tool({
        initialize: './lib.js#fail',
        requires: { env: 'NOBODY_SETS_IT' },
      }),
      'kit/lib.js': `export const run = () => 'done';
        export const fail = () => { throw new Error('no database'); };
        export const end = () => process.exit(3);`,
    },
    'kit',
  );
  const failed = diagnostics.filter(({ code }) => code === 'initialize-failed');
  expect(failed).toMatchObject([
    {
      severity: 'error',
      message: '"initialize" of tool "@acme/kit/broken" failed: no database',
      item: { kind: 'tool', name: 'broken' },
      location: { file: 'package.json', path: ['agenttools', 'tools', 1] },
    },
    { item: { kind: 'tool', name: 'ends' } },
  ]);
});

test('install writes nothing if an "initialize" fails, and --no-verify runs none', async () => {
  const files = {
    'package.json': declaring('@acme/kit', { tools: ['broken'] }),
    'agenttools/tools/broken.json': { description: 'x', handler: './lib.js', initialize: './lib.js#fail' },
    'lib.js': "export default () => 'x'; export const fail = () => { throw new Error('no database'); };",
  };
  const home = writeFolder();
  const cwd = writeFolder(files);
  const refused = await runCli(['install', 'cursor', '.', '--json'], { cwd, home });
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout).error).toMatchObject({
    code: 'initialize-failed',
    message: '"initialize" of the tool @acme/kit/broken failed: no database',
  });
  expect(existsSync(path.join(home, '.cursor'))).toBe(false);
  expect((await runCli(['install', 'cursor', '.', '--no-verify'], { cwd, home })).code).toBe(0);
});

test('a stuck server is ended with all that it has started', async () => {
  const folder = writeFolder({
    'stuck.mjs': `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const start = (options) =>
        spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', ...options }).pid;
      writeFileSync('pids', [process.pid, start(), start({ detached: true })].join(' '));
      process.stdout.write('ready');
      for (;;);`,
  });
  const { execPath: command } = process;
  const transport = new ChildTransport({ command, args: ['stuck.mjs'], cwd: folder, env });
  await transport.start();
  const read = () => readFileSync(path.join(folder, 'pids'), 'utf8').split(' ').map(Number);
  await expect.poll(() => read().length, { timeout: 10_000 }).toBe(3);
  const pids = read();
  onTestFinished(() => pids.filter(isRunning).forEach((pid) => void process.kill(pid, 'SIGKILL')));
  await sleep(100);

  transport.kill();

  expect(await transport.ended).toEqual({ code: null, signal: 'SIGKILL' });
  await expect.poll(() => pids.filter(isRunning), { timeout: 5000 }).toEqual([]);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const desk = (upstream: object) => ({
  'desk/package.json': declaring('desk', { servers: ['desk'] }),
  'desk/agenttools/servers/desk.json': { tools: [{ upstream }] },
});

test.concurrent.for([
  [{ command: 'no-such-program-here' }, 'cannot be started: there is no program "no-such-program-here"'],
  [{ command: 'node', args: ['-e', 'process.exit(7)'] }, 'it exited with code 7'],
  [{ command: 'node', args: [`\${NOBODY_SETS_THIS}`] }, 'NOBODY_SETS_THIS, which is not set'],
  [{ url: 'http://127.0.0.1:1/mcp' }, 'http://127.0.0.1:1/mcp'],
] as const)('fails for a missing existing server: %j', async ([upstream, words], { expect }) => {
  const [found, ...more] = await diagnosticsOf(desk(upstream), 'desk');
  expect(found).toMatchObject({ code: 'boot-failed', severity: 'error' });
  expect(found?.message).toMatch(
    /^Server "desk" lists no tools of an existing server\. The upstream server "/,
  );
  expect(found?.message).toContain(words);
  expect(more).toEqual([]);
});

test('a chosen item that an existing server lacks is an error', async () => {
  const script = path.join(root, 'test/support/scripted-upstream.mjs');
  const args = [script, JSON.stringify({ resources: [{ uri: 'a:1', name: 'a' }] })];
  const upstream = { command: process.execPath, args, name: 'far' };
  const files = desk(upstream);
  const chosen = { upstream, except: ['gone'], resources: { only: ['a:2'] } };
  const found = await diagnosticsOf(
    { ...files, 'desk/agenttools/servers/desk.json': { tools: [chosen] } },
    'desk',
  );
  expect(found.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
    'error: Server "desk" chooses an item that does not exist. The upstream server "far" has no tool "gone". Correct the name in "only", "except" or "rename".',
    'error: Server "desk" chooses an item that does not exist. The upstream server "far" has no resource "a:2". Did you mean "a:1"? Correct the name in "only", "except" or "rename".',
  ]);
});

test('fails for an existing server that hangs, after the wait that the environment sets', async () => {
  const hanging = { command: 'node', args: ['-e', 'process.stdin.resume()'] };
  const message = expect.stringContaining('it is still starting after 1 s, and lists go on');
  const wait = { AGENTTOOLS_UPSTREAM_WAIT: '1' };
  const found = await diagnosticsOf(desk(hanging), 'desk', wait);
  // A busy machine adds a warning about its slow start.
  expect(found.filter(({ severity }) => severity === 'error')).toMatchObject([{ message }]);
});

test.concurrent('warns about an existing server without its variable if the server has other items', async ({
  expect,
}) => {
  const files = desk({ command: 'node', args: [`\${NOBODY_SETS_THIS}`] });
  const definition = { tools: [...files['desk/agenttools/servers/desk.json'].tools, 'catalog'] };
  expect(
    await diagnosticsOf({ ...files, 'desk/agenttools/servers/desk.json': definition }, 'desk'),
  ).toMatchObject([{ code: 'boot-failed', severity: 'warning' }]);
});
