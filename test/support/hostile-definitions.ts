import { expect } from 'vitest';
import { type Files, writePackage } from './packages.js';
import { openProgram, type Program } from './program.js';

/** Modules of definitions that harm the process which loads them. */
export const hostileDefinitions: Readonly<Record<string, string>> = {
  exits: `process.exit(3);`,
  'is killed': `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`,
  blocks: `for (;;);`,
  'never loads': `await new Promise(() => {});`,
  throws: `throw new Error('no');`,
  'replaces JSON': `JSON.stringify = () => 'taken'; JSON.parse = () => ({});`,
  'adds to Object.prototype': `Object.prototype.extend = function () {};`,
  'adds values that every object inherits': `Object.prototype.upstream = 'x'; Object.prototype.inputSchema = Object.prototype.get = () => 'x'; Array.prototype[0] = 'x';`,
  'hides additions that every object inherits': `for (const name of ['keys', 'uri', 'era', '$defs']) Object.defineProperty(Object.prototype, name, { value: () => 'x', configurable: true, writable: true });`,
  'replaces globals for good': `for (const name of ['Intl', 'performance', 'process']) Object.defineProperty(globalThis, name, { value: {}, writable: false, configurable: false });`,
  'deletes globals': `delete globalThis.Intl; delete globalThis.crypto;`,
  'exports a getter that changes': `let reads = 0; export default { get description() { reads += 1; return reads === 1 ? 'First.' : 1n; }, handler: () => 'harm' };`,
  'replaces Array methods': `Array.prototype.map = Array.prototype.filter = () => { throw new Error('no'); };`,
  'breaks files and timers': `import fs from 'node:fs'; import timers from 'node:timers/promises'; import module from 'node:module'; fs.readFileSync = fs.promises.readFile = fs.promises.stat = () => { throw new Error('no'); }; timers.setTimeout = () => new Promise(() => {}); module.syncBuiltinESMExports();`,
  'makes file functions hang': `import fs from 'node:fs'; import module from 'node:module'; for (const name of ['stat', 'lstat', 'readFile', 'realpath', 'access', 'open']) { fs.promises[name] = () => new Promise(() => {}); fs[name] = () => {}; } module.syncBuiltinESMExports();`,
  'shadows globals by a script': `process.getBuiltinModule('vm').runInThisContext('const process = {}, Object = null;');`,
  'breaks a built-in after it was loaded': `setTimeout(() => { Array.prototype.map = null; }, 0);`,
  'changes values of modules': `import path from 'node:path'; path.sep = 5; Buffer.poolSize = -1; Object.defineProperty(process, 'platform', { value: 'none' });`,
  'replaces Array.isArray': `Array.isArray = () => true;`,
  'replaces Promise.prototype.finally': `Promise.prototype.finally = Promise.prototype.catch = () => ({});`,
  'makes generators and maps iterate without end': `const all = { done: false, value: [1, 2] }; const generator = (function* () {})(); Object.getPrototypeOf(Object.getPrototypeOf(generator)).next = () => all; Object.getPrototypeOf(new Map().entries()).next = () => all;`,
  'breaks URL': `Object.defineProperty(URL.prototype, 'href', { configurable: true, get() { throw new Error('no'); } });`,
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
  'breaks the environment': `process.env = new Proxy({}, { get() { throw new Error('env'); }, has() { throw new Error('env'); }, ownKeys() { throw new Error('env'); } });`,
  'breaks the environment for good': `Object.defineProperty(process, 'env', { configurable: false, get() { throw new Error('env'); } });`,
  'hooks promises with errors': `import { promiseHooks } from 'node:v8'; promiseHooks.onInit(() => { throw new Error('init'); });`,
  'fills the thread pool': `import { pbkdf2 } from 'node:crypto'; for (let n = 0; n < 8; n += 1) pbkdf2('a', 'b', 1e9, 64, 'sha512', () => {});`,
  'exports a thenable': `export { thenable as default }; const thenable = { then() {} };`,
  'exports a Proxy': `export default new Proxy({}, { get() { throw new Error('get'); }, ownKeys() { throw new Error('keys'); } });`,
};

/** Code of a tool that answers. */
export const goodTool = `export default { description: 'Answers.', handler: () => 'ok' };`;

/** Code of a tool that runs `code` when it is loaded. */
export const harmfulTool = (code: string): string =>
  code.includes('export')
    ? code
    : `${code}\nexport default { description: 'Harms.', handler: () => 'harm' };`;

/** Most starts of a server on a machine that is too busy for its definitions. */
const mostStarts = 4;

/**
 * Starts a server until it lists these tools. A definition that loads too slowly on a busy machine is left out until the
 * next start.
 */
async function openListing(folder: string, wanted: readonly string[], starts = 1): Promise<Program> {
  const program = await openProgram(folder);
  const { tools } = await program.request('tools/list');
  const names: string[] = tools.map(({ name }: { name: string }) => name);
  if (wanted.every((name) => names.includes(name))) return program;
  if (starts === mostStarts) expect(names).toEqual(expect.arrayContaining([...wanted]));
  await program.end();
  return await openListing(folder, wanted, starts + 1);
}

/** Serves a definition that harms its process beside good ones, which must work. */
export async function expectOthersWork(code: string): Promise<void> {
  const files: Files = {
    'agenttools/tools/harm.js': harmfulTool(code),
    'agenttools/tools/ok.js': goodTool,
    'agenttools/tools/data.json': { description: 'Data.', handler: './data.js#data' },
    'data.js': `export const data = () => 'data';`,
  };
  const program = await openListing(writePackage({ tools: ['harm', 'ok', 'data'] }, files), ['ok', 'data']);
  expect(await program.textOf('ok')).toBe('ok');
  expect(await program.textOf('data')).toBe('data');
  await program.call('harm');
  expect(await program.textOf('ok')).toBe('ok');
  expect(await program.end()).toEqual({ code: 0, signal: null });
}
