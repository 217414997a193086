import { describe, expect, test } from 'vitest';
import { type Files, writePackage } from '../support/packages.js';
import { openProgram } from '../support/program.js';

/** Modules of definitions that harm the process which loads them. */
const hostile: Readonly<Record<string, string>> = {
  exits: `process.exit(3);`,
  'is killed': `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`,
  blocks: `for (;;);`,
  'never loads': `await new Promise(() => {});`,
  throws: `throw new Error('no');`,
  'replaces JSON': `JSON.stringify = () => 'taken'; JSON.parse = () => ({});`,
  'adds to Object.prototype': `Object.prototype.extend = function () {};`,
  'replaces Array methods': `Array.prototype.map = Array.prototype.filter = () => { throw new Error('no'); };`,
  'breaks files and timers': `import fs from 'node:fs'; import timers from 'node:timers/promises'; import module from 'node:module'; fs.readFileSync = fs.promises.readFile = fs.promises.stat = () => { throw new Error('no'); }; timers.setTimeout = () => new Promise(() => {}); module.syncBuiltinESMExports();`,
  'makes file functions hang': `import fs from 'node:fs'; import module from 'node:module'; for (const name of ['stat', 'lstat', 'readFile', 'realpath', 'access', 'open']) { fs.promises[name] = () => new Promise(() => {}); fs[name] = () => {}; } module.syncBuiltinESMExports();`,
  'takes Promise away': `globalThis.Promise = undefined;`,
  'breaks an Array method for good': `Object.defineProperty(Array.prototype, 'map', { value: () => { throw new Error('no'); }, configurable: false });`,
  'makes every object a thenable': `Object.defineProperty(Object.prototype, 'then', { value: (resolve) => resolve(1) });`,
  'makes every object read-only': `Object.defineProperty(Object.prototype, 'type', { get: () => 'evil', set() {} });`,
  'freezes globals': `Object.freeze(process); Object.preventExtensions(globalThis);`,
  'says that it is loaded and is killed': `import { writeSync } from 'node:fs'; writeSync(4, JSON.stringify({ type: 'loaded', file: import.meta.filename }) + '\\n'); process.kill(process.pid, 'SIGKILL');`,
  'is killed after it was loaded': `setTimeout(() => process.kill(process.pid, 'SIGKILL'), 0);`,
  'crashes later': `setTimeout(() => { throw new Error('late'); }, 50);`,
  'exits on errors': `process.on('uncaughtException', () => process.exit(1)); setTimeout(() => { throw new Error('late'); }, 50);`,
  'registers module hooks that throw': `import { register } from 'node:module'; register('data:text/javascript,export async function resolve() { throw new Error("no"); }');`,
  'registers module hooks that hang': `import { register } from 'node:module'; register('data:text/javascript,export async function load() { await new Promise(() => {}); }');`,
  'exports a thenable': `export { thenable as default }; const thenable = { then() {} };`,
  'exports a Proxy': `export default new Proxy({}, { get() { throw new Error('get'); }, ownKeys() { throw new Error('keys'); } });`,
};

const good = `export default { description: 'Answers.', handler: () => 'ok' };`;
const itself = (code: string) =>
  code.includes('export')
    ? code
    : `${code}\nexport default { description: 'Harms.', handler: () => 'harm' };`;

describe.concurrent('a definition that harms its process', () => {
  test.each(Object.entries(hostile))('%s, and all others work', async (_, code) => {
    const files: Files = {
      'agenttools/tools/harm.js': itself(code),
      'agenttools/tools/ok.js': good,
      'agenttools/tools/data.json': { description: 'Data.', handler: './data.js#data' },
      'data.js': `export const data = () => 'data';`,
    };
    const program = await openProgram(writePackage({ tools: ['harm', 'ok', 'data'] }, files));
    const { tools } = await program.request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['ok', 'data']));
    expect(await program.textOf('ok')).toBe('ok');
    expect(await program.textOf('data')).toBe('data');
    await program.call('harm');
    expect(await program.textOf('ok')).toBe('ok');
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});

const killer = itself(`process.kill(process.pid, 'SIGKILL');`);

describe.concurrent('several definitions that harm their process', () => {
  test('are left out once, and are not loaded at the next start', async () => {
    const names = Array.from({ length: 3 }, (_, index) => `harm${index}`);
    const harmful = Object.fromEntries(names.map((name) => [`agenttools/tools/${name}.js`, killer]));
    const folder = writePackage({ tools: [...names, 'ok'] }, { ...harmful, 'agenttools/tools/ok.js': good });
    const first = await openProgram(folder);
    const { tools } = await first.request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['ok']);
    // On a slow machine, the list does not wait for all of them.
    for (const name of names) await first.said(`left out: @acme/kit/${name} `);
    await first.end();
    const second = await openProgram(folder);
    expect((await second.request('tools/list')).tools).toHaveLength(1);
    expect(await second.textOf('ok')).toBe('ok');
    await second.end();
    expect(second.stderr).toContain('was ended by SIGKILL');
    expect(second.stderr).not.toMatch(/^The extension host/m);
  });

  test('do not delay the first call if they block once they are loaded', async () => {
    const files: Files = {
      'agenttools/tools/harm.js': itself('setImmediate(() => { for (;;); });'),
      'agenttools/tools/data.json': { description: 'Data.', handler: './data.js#data' },
      'data.js': `export const data = () => 'data';`,
    };
    const started = performance.now();
    const program = await openProgram(writePackage({ tools: ['harm', 'data'] }, files));
    expect(await program.textOf('data')).toBe('data');
    expect(performance.now() - started).toBeLessThan(15_000);
    expect((await program.end()).code).toBe(0);
  });

  test('take no others along if one breaks a built-in again and again', async () => {
    const files: Files = {
      'agenttools/tools/harm.js': itself(
        `setInterval(() => { Array.prototype.push = () => { throw new Error('no'); }; }, 2);`,
      ),
      'agenttools/tools/ok.js': good,
    };
    const program = await openProgram(writePackage({ tools: ['harm', 'ok'] }, files));
    for (const _ of [1, 2, 3]) expect(await program.textOf('ok')).toBe('ok');
    await program.said('left out: ');
    expect((await program.request('tools/list')).tools).toHaveLength(1);
    expect((await program.end()).code).toBe(0);
  });

  test('keep no client waiting for the handshake or for other tools', async () => {
    const files: Files = {
      'agenttools/tools/harm.js': itself('for (;;);'),
      'agenttools/tools/never.js': itself('await new Promise(() => {});'),
      'agenttools/tools/ok.js': good,
    };
    const started = performance.now();
    const program = await openProgram(writePackage({ tools: ['harm', 'never', 'ok'] }, files));
    expect(await program.textOf('ok')).toBe('ok');
    expect(performance.now() - started).toBeLessThan(8000);
    await program.end();
  });
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
