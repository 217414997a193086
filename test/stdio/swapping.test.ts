import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { type KitHome, makeKitHome } from '../support/added-packages.js';
import { type Connected, connect, revisions } from '../support/official-client.js';
import { type Files, packageJson } from '../support/packages.js';
import { eventually, isAlive, type Message, programFile, root } from '../support/program.js';

const script = path.join(root, 'test/support/scripted-upstream.mjs');
const told = JSON.stringify({ tools: ['environment'], name: 'upstream' });
const theirs = (tool: string, file: string) => ({
  description: 'Shows an upstream server.',
  upstream: {
    command: process.execPath,
    args: ['--eval', `process.env.PID = String(process.pid); import(${JSON.stringify(file)})`, told],
    env: { NAME: tool },
    tool: 'environment',
  },
});

/** The package of one version. Its tool `wait` answers when the file `go` exists. */
function version(number: number, go: string, more: Files = {}): Files {
  return {
    'package.json': packageJson(
      { servers: ['main'], tools: ['tell', 'wait', `only-${number}`, 'outside', 'inside'] },
      { version: `${number}.0.0` },
    ),
    'agenttools/servers/main.json': { tools: '*' },
    'agenttools/tools/tell.json': { description: `Tells ${number}.`, handler: './code.js#tell' },
    'agenttools/tools/wait.js': `export { wait as default } from '../../code.js';`,
    [`agenttools/tools/only-${number}.json`]: { description: 'Is new.', handler: './code.js#tell' },
    'agenttools/tools/outside.json': theirs('outside', script),
    'agenttools/tools/inside.json': {
      ...theirs('inside', script),
      upstream: { command: 'node', args: ['./upstream.mjs', told], tool: 'environment' },
    },
    'code.js': `
      import { existsSync } from 'node:fs';
      export const tell = (_, { session }) => {
        const count = (session?.get('count') ?? 0) + 1;
        session?.set('count', count);
        return { version: ${number}, pid: process.pid, count: session ? count : 0 };
      };
      export const wait = {
        description: 'Waits.',
        handler: async (_, { progress }) => {
          progress(1);
          while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 10));
          return 'waited in ${number}';
        },
      };`,
    ...more,
  };
}

/** A machine on which versions of `@acme/kit` are added and updated. */
function machine(): KitHome & { readonly go: string } {
  const { home, put } = makeKitHome();
  return {
    home,
    go: path.join(home, 'go'),
    put: async (files) => await put({ ...files, 'upstream.mjs': readFileSync(script, 'utf8') }),
  };
}

/** Kills a host and waits until the front has noticed. */
async function killHost({ stderr }: Connected, pid: number): Promise<void> {
  const deaths = () => stderr().split('ended by SIGKILL').length;
  const before = deaths();
  process.kill(pid, 'SIGKILL');
  await eventually(() => deaths() > before, 'the death of the host');
}

const dataOf = ({ structuredContent }: Message) => structuredContent;

describe.concurrent.each(revisions)('an update of a served package, for %s', (revision) => {
  const open = async (home: string): Promise<Connected> =>
    await connect('@acme/kit/main', { revision, env: { AGENTTOOLS_HOME: home }, ownProcess: true });
  const listens = { toolsListChanged: true };

  it('answers the call under way, then calls the new version in the open session', async () => {
    const { home, go, put } = machine();
    await put(version(1, go));
    const kit = await open(home);
    if (revision === '2026-07-28') await kit.client.listen(listens);
    expect(await kit.toolNames()).toContain('only-1');
    const first = dataOf(await kit.call('tell'));
    expect(first.version).toBe(1);
    const placeOf = async (tool: string) => JSON.parse(await kit.textOf(tool));
    const before = [await placeOf('outside'), await placeOf('inside')];
    const waiting = kit.client.callTool({ name: 'wait' });
    await put(version(2, go));
    await kit.hears('notifications/tools/list_changed');
    expect(await kit.toolNames()).toContain('only-2');
    expect(await kit.toolNames()).not.toContain('only-1');
    expect((await kit.tool('tell')).description).toBe('Tells 2.');
    const second = dataOf(await kit.call('tell'));
    expect(second).toMatchObject({ version: 2, count: first.count === 0 ? 0 : 2 });
    expect(isAlive(first.pid)).toBe(true);
    writeFileSync(go, '');
    expect((await waiting).content).toMatchObject([{ text: 'waited in 1' }]);
    await eventually(() => !isAlive(first.pid), 'the old host is gone');
    expect(isAlive(second.pid)).toBe(true);
    const after = [await placeOf('outside'), await placeOf('inside')];
    expect(before[0].PID).toMatch(/^\d+$/);
    expect(after[0].PID).toBe(before[0].PID);
    expect(after[1].cwd).not.toBe(before[1].cwd);
    expect(existsSync(before[1].cwd)).toBe(true);
    expect(kit.stderr()).toContain('Updated while served: @acme/kit.');
    await kit.close();
  });

  it('lists and calls the first upstream server of the package', async () => {
    const { home, put } = makeKitHome();
    const upstream = { command: process.execPath, args: [script, JSON.stringify({ tools: ['echo'] })] };
    const numbered = (number: number, tools: readonly unknown[]): Files => ({
      'package.json': packageJson({ servers: ['main'], tools: ['tell'] }, { version: `${number}.0.0` }),
      'agenttools/servers/main.json': { tools },
      'agenttools/tools/tell.json': { description: `Tells ${number}.`, handler: './code.js#tell' },
      'code.js': `export const tell = () => 'version ${number}';`,
    });
    await put(numbered(1, ['tell']));
    const kit = await open(home);
    if (revision === '2026-07-28') await kit.client.listen(listens);
    expect(await kit.toolNames()).toEqual(['tell']);
    expect(await kit.textOf('tell')).toBe('version 1');
    await put(numbered(2, ['tell', { upstream, prefix: 'far_' }]));
    await kit.hears('notifications/tools/list_changed');
    expect(await kit.toolNames()).toEqual(['tell', 'far_echo']);
    expect(await kit.textOf('tell')).toBe('version 2');
    expect(await kit.textOf('far_echo')).toContain('echoes');
    await kit.close();
  });

  it('serves the version before if the new one cannot be composed', async () => {
    const { home, go, put } = machine();
    await put(version(1, go));
    const kit = await open(home);
    const first = dataOf(await kit.call('tell'));
    await put(version(2, go, { 'agenttools/servers/main.json': { tools: 7 } }));
    await eventually(() => kit.stderr().includes('cannot be served'), 'the reason');
    expect(dataOf(await kit.call('tell'))).toMatchObject({ version: 1, pid: first.pid });
    await killHost(kit, first.pid);
    expect(dataOf(await kit.call('tell')).version).toBe(1);
    await put(version(3, go));
    await eventually(() => kit.stderr().includes('Updated while served'), 'the third version');
    expect(dataOf(await kit.call('tell')).version).toBe(3);
    await kit.close();
  });
});

describe('a frozen server whose package is updated', () => {
  const words = ['start', '@acme/kit/main', '--frozen'];

  it('keeps its version when its host dies, and reports once that its folder is gone', async () => {
    const { home, go, put } = machine();
    const installation = await put(version(1, go));
    const command = {
      command: process.execPath,
      args: [programFile, ...words],
      env: { AGENTTOOLS_HOME: home },
    };
    const kit = await connect('@acme/kit/main', { revision: '2026-07-28', command });
    const first = dataOf(await kit.call('tell'));
    await put(version(2, go));
    await killHost(kit, first.pid);
    const second = dataOf(await kit.call('tell'));
    expect([first.version, second.version]).toEqual([1, 1]);
    await killHost(kit, second.pid);
    rmSync(installation, { recursive: true });
    for (const _ of [1, 2]) expect(await kit.textOf('tell')).toContain('The folder of @acme/kit is gone');
    expect(kit.stderr().split('The folder of @acme/kit is gone')).toHaveLength(2);
    await kit.close();
  });
});
