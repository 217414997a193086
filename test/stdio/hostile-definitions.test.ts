import { describe, expect, test } from 'vitest';
import {
  expectOthersWork,
  goodTool,
  harmfulTool,
  hostileDefinitions,
} from '../support/hostile-definitions.js';
import { type Files, writePackage } from '../support/packages.js';
import { openProgram } from '../support/program.js';
import { fullTest } from '../support/tier.js';

/** One of each family. `hostile-definitions.full.test.ts` has them all. */
const sample = [
  'exits',
  'throws',
  'replaces JSON',
  'adds to Object.prototype',
  'crashes later',
  'exports a Proxy',
  'breaks the environment',
];

describe.concurrent('a definition that harms its process', () => {
  test.each(sample)('%s, and all others work', async (name) => {
    await expectOthersWork(hostileDefinitions[name]!);
  });
});

const killer = harmfulTool(`process.kill(process.pid, 'SIGKILL');`);

describe.concurrent('several definitions that harm their process', () => {
  // Concurrent tests poll with their own `expect`.
  test('are left out once, and are not loaded at the next start', async ({ expect }) => {
    const names = Array.from({ length: 3 }, (_, index) => `harm${index}`);
    const harmful = Object.fromEntries(names.map((name) => [`agenttools/tools/${name}.js`, killer]));
    const folder = writePackage(
      { tools: [...names, 'ok'] },
      { ...harmful, 'agenttools/tools/ok.js': goodTool },
    );
    const first = await openProgram(folder);
    const listed = async () => {
      const { tools } = await first.request('tools/list');
      return tools.map(({ name }: { name: string }) => name);
    };
    // On a slow machine, the first list does not wait for all of them.
    await expect.poll(listed, { timeout: 25_000 }).toEqual(['ok']);
    for (const name of names) await first.said(`left out: @acme/kit/${name} `);
    await first.end();
    const second = await openProgram(folder);
    expect((await second.request('tools/list')).tools).toHaveLength(1);
    expect(await second.textOf('ok')).toBe('ok');
    await second.end();
    expect(second.stderr).toContain('was ended by SIGKILL');
    expect(second.stderr).not.toMatch(/^The extension host/m);
  });

  fullTest('do not delay the first call if they block once they are loaded', async () => {
    const files: Files = {
      'agenttools/tools/harm.js': harmfulTool('setImmediate(() => { for (;;); });'),
      'agenttools/tools/data.json': { description: 'Data.', handler: './data.js#data' },
      'data.js': `export const data = () => 'data';`,
    };
    const started = performance.now();
    const program = await openProgram(writePackage({ tools: ['harm', 'data'] }, files));
    expect(await program.textOf('data')).toBe('data');
    expect(performance.now() - started).toBeLessThan(15_000);
    expect((await program.end()).code).toBe(0);
  });

  fullTest('take no others along if one breaks a built-in again and again', async () => {
    const files: Files = {
      'agenttools/tools/harm.js': harmfulTool(
        `setInterval(() => { Array.prototype.push = () => { throw new Error('no'); }; }, 2);`,
      ),
      'agenttools/tools/ok.js': goodTool,
    };
    const program = await openProgram(writePackage({ tools: ['harm', 'ok'] }, files));
    for (const _ of [1, 2, 3]) expect(await program.textOf('ok')).toBe('ok');
    await program.said('left out: ');
    expect((await program.request('tools/list')).tools).toHaveLength(1);
    expect((await program.end()).code).toBe(0);
  });

  test('keep no client waiting for the handshake or for other tools', async () => {
    const files: Files = {
      'agenttools/tools/harm.js': harmfulTool('for (;;);'),
      'agenttools/tools/never.js': harmfulTool('await new Promise(() => {});'),
      'agenttools/tools/ok.js': goodTool,
    };
    const started = performance.now();
    const program = await openProgram(writePackage({ tools: ['harm', 'never', 'ok'] }, files));
    expect(await program.textOf('ok')).toBe('ok');
    expect(performance.now() - started).toBeLessThan(8000);
    await program.end();
  });
});

test('a hook of a list that replaces built-ins harms no list and no other call', async () => {
  const changes = [
    'Array.isArray = () => true',
    'Array.prototype.map = () => []',
    'Map.prototype.get = () => undefined',
    'Object.prototype.then = (resolve) => resolve([])',
  ];
  const program = await openProgram(
    writePackage(
      { tools: ['ok', 'sum'], servers: ['main'] },
      {
        'agenttools/servers/main.json': { tools: '*', list: { tools: './kit.js#pick' } },
        'agenttools/tools.json': {
          ok: { description: 'Answers.', handler: './kit.js#ok' },
          sum: {
            description: 'Adds.',
            handler: './kit.js#sum',
            input: { a: 'integer' },
            output: { b: 'integer' },
          },
        },
        'kit.js': `
          const changes = [${changes.map((change) => `() => { ${change}; }`)}];
          let next = 0;
          export const ok = async ({ change }) => ((next = change), 'ok');
          export const sum = async ({ a }) => ({ b: a + 1 });
          export const pick = async (ctx, registry) => { changes[next](); return registry.list(); };`,
      },
    ),
  );
  for (const change of changes.keys()) {
    await program.call('ok', { change });
    const [listed, sum] = await Promise.all([
      program.request('tools/list'),
      program.call('sum', { a: 1 }),
      program.textOf('ok', { change }),
    ]);
    expect(listed.tools.map(({ name }: { name: string }) => name)).toEqual(['ok', 'sum']);
    expect(sum.structuredContent).toEqual({ b: 2 });
  }
  expect((await program.end()).code).toBe(0);
});

describe.concurrent('a hook that ends its process', () => {
  const serverWith = (server: object) =>
    writePackage(
      { tools: ['ok'], servers: ['main'] },
      {
        'agenttools/servers/main.json': { tools: '*', ...server },
        'agenttools/tools/ok.json': { description: 'Answers.', handler: './ok.js#ok' },
        'ok.js': `export const ok = () => 'ok'; export const harm = () => process.kill(process.pid, 'SIGKILL') && new Promise(() => {});`,
      },
    );
  const deathsOf = ({ stderr }: { readonly stderr: string }) =>
    stderr.split('\n').filter((line) => line.startsWith('The extension host'));

  test('costs one process if it is a hook of a list, which shows all items then', async () => {
    const program = await openProgram(serverWith({ list: { tools: './ok.js#harm' } }));
    for (const _ of [1, 2, 3]) expect((await program.request('tools/list')).tools).toHaveLength(1);
    expect(await program.textOf('ok')).toBe('ok');
    await program.end();
    expect(deathsOf(program)).toHaveLength(1);
  });

  test('costs one process if it is the hook initialize, and calls fail then', async () => {
    const program = await openProgram(serverWith({ initialize: './ok.js#harm' }));
    for (const _ of [1, 2, 3]) expect((await program.call('ok')).isError).toBe(true);
    expect((await program.request('tools/list')).tools).toHaveLength(1);
    await program.end();
    expect(deathsOf(program)).toHaveLength(1);
  });
});
