import { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// Kept before extension code loads, which may replace these too.
const { apply } = Reflect;
const moduleOf = process.getBuiltinModule;
const { execPath } = process;

function exportsOf<Name extends keyof Modules>(name: Name): Modules[Name] {
  return apply(moduleOf, process, [`node:${name}`]) as Modules[Name];
}

interface Modules {
  readonly fs: typeof import('node:fs');
  readonly 'fs/promises': typeof import('node:fs/promises');
  readonly path: typeof import('node:path');
  readonly url: typeof import('node:url');
  readonly util: typeof import('node:util');
  readonly crypto: typeof import('node:crypto');
  readonly module: typeof import('node:module');
  readonly timers: typeof import('node:timers');
}

/** Node functions that return a promise or call back. A probe is synchronous, so it compares them by identity. */
const asynchronous = [
  ['timers/promises', 'setTimeout'],
  ['timers/promises', 'setImmediate'],
] as const;
const intact = asynchronous.map(
  ([name, key]) => (process.getBuiltinModule(`node:${name}`) as Record<string, unknown>)[key],
);

/** Probes of built-ins that this process uses. Each returns true if the result is correct. */
const probes: readonly (() => boolean)[] = [
  arePlainObjectsPlain,
  () => Object.isExtensible(globalThis),
  () => JSON.stringify({ a: [1, 'b'] }) === '{"a":[1,"b"]}',
  () => (JSON.parse('{"a":[1]}') as { a: number[] }).a[0] === 1,
  () => [3, 1].map((one) => one + 1).join() === '4,2',
  () => [1, 2, 3].filter((one) => one > 1).length === 2,
  () => [1].concat([2]).slice(1)[0] === 2 && [2, 1].sort()[0] === 1 && [1].push(2) === 2,
  () =>
    [1, 2].includes(2) && [1, 2].find((one) => one === 2) === 2 && [1].some(Boolean) && [1].every(Boolean),
  () => [[1], [2]].flat().length === 2 && [1].flatMap((one) => [one, one]).length === 2,
  () => [1, 2].reduce((sum, one) => sum + one, 0) === 3 && [...[1, 2]].length === 2,
  () => Object.keys({ a: 1 })[0] === 'a' && Object.entries({ a: 1 })[0]?.[1] === 1,
  () => (Object.fromEntries([['a', 1]]) as { a: number }).a === 1 && Object.assign({}, { a: 1 }).a === 1,
  () => Object.hasOwn({ a: 1 }, 'a') && Array.isArray([]) && Reflect.apply(Math.max, undefined, [1, 2]) === 2,
  () => new Map([['a', 1]]).get('a') === 1 && new Map().set('a', 1).size === 1 && new Set([1]).has(1),
  () => 'a,b'.split(',')[1] === 'b' && 'abc'.slice(1) === 'bc' && 'ab'.replace('a', 'b') === 'bb',
  () => 'abc'.startsWith('a') && ' a '.trim() === 'a' && /b/.test('abc') && /b/.exec('abc')?.index === 1,
  () => Number.isSafeInteger(1) && String(1) === '1' && new Error('x') instanceof Error,
  () => Promise.resolve(1) instanceof Promise && typeof (async () => 1)().then(() => 1)?.then === 'function',
  () => !Array.isArray({}) && !Number.isInteger(0.5) && Date.now() > 0 && performance.now() > 0,
  () => isPromised(Promise.resolve(1).catch(() => 1)) && isPromised(Promise.resolve(1).finally(() => {})),
  areIterationsFinite,
  () => {
    const { href, searchParams, pathname } = new URL('file:///a?b=1');
    return href === 'file:///a?b=1' && searchParams.get('b') === '1' && pathname === '/a';
  },
  () =>
    structuredClone({ a: 1 }).a === 1 &&
    typeof process.env.PATH !== 'object' &&
    process.hrtime().length === 2,
  () => {
    const timer = setTimeout(() => {}, 0);
    clearTimeout(timer);
    return typeof timer === 'object' && typeof setImmediate === 'function';
  },
  () => Buffer.from('a').toString('hex') === '61' && Buffer.concat([Buffer.from('a')]).length === 1,
  () => {
    let heard = 0;
    const emitter = new EventEmitter();
    emitter.on('a', () => (heard += 1));
    emitter.emit('a');
    const controller = new AbortController();
    controller.signal.addEventListener('abort', () => (heard += 1));
    controller.abort();
    return heard === 2;
  },
  () => exportsOf('fs').statSync(execPath).isFile() && exportsOf('fs').existsSync(execPath),
  () => {
    const { openSync, readSync, closeSync } = exportsOf('fs');
    const descriptor = openSync(execPath, 'r');
    try {
      return readSync(descriptor, new Uint8Array(1), 0, 1, 0) === 1;
    } finally {
      closeSync(descriptor);
    }
  },
  () => exportsOf('fs').readFileSync(ownFile).length > 0,
  () => {
    const { readFile, stat, access } = exportsOf('fs/promises');
    return isPromised(readFile(ownFile)) && isPromised(stat(execPath)) && isPromised(access(execPath));
  },
  () => exportsOf('path').join('a', '..', 'b') === 'b' && exportsOf('path').basename('/a/b.c') === 'b.c',
  () =>
    exportsOf('url').fileURLToPath(import.meta.url) === ownFile && exportsOf('util').format('%s', 1) === '1',
  () => exportsOf('crypto').randomUUID().length === 36,
  () => typeof exportsOf('module').createRequire(import.meta.url)('node:fs') === 'object',
  () => {
    const { setTimeout, clearTimeout } = exportsOf('timers');
    const timer = setTimeout(() => {}, 0);
    clearTimeout(timer);
    return typeof timer === 'object';
  },
  () => {
    for (let index = 0; index < asynchronous.length; index += 1) {
      const [name, key] = asynchronous[index]!;
      const exports = apply(moduleOf, process, [`node:${name}`]) as Record<string, unknown>;
      if (exports[key] !== intact[index]) return false;
    }
    return true;
  },
  () => new URL('https://example.com/a').pathname === '/a' && new TextEncoder().encode('a').length === 1,
];

const ownFile = fileURLToPath(import.meta.url);
const { then } = Promise.prototype;

function isPromised(value: unknown): boolean {
  if (!(value instanceof Promise)) return false;
  void apply(then, value, [undefined, () => {}]);
  return true;
}

/** Members of `Object.prototype` before extension code runs. */
const standard: Record<PropertyKey, true> = Object.create(null);
for (const name of Reflect.ownKeys(Object.prototype)) standard[name] = true;

/** True if additions to `Object.prototype`, which every object inherits, do not break assignments and promises. */
function arePlainObjectsPlain(): boolean {
  const names = Reflect.ownKeys(Object.prototype);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index]!;
    if (standard[name]) continue;
    if (name === 'then' || name === 'toJSON') return false;
    const { get, set, writable, configurable } = Object.getOwnPropertyDescriptor(Object.prototype, name)!;
    if (!configurable && !writable) return false;
    if (!get && !set) continue;
    const object: Record<PropertyKey, unknown> = {};
    object[name] = 1;
    if (object[name] !== 1) return false;
  }
  return true;
}

/** True if a generator and a map give their items and end. */
function areIterationsFinite(): boolean {
  const generator = (function* () {
    yield 1;
  })();
  let count = 0;
  for (const [key, value] of new Map([['a', 1]])) {
    count += 1;
    if (count > 1 || key !== 'a' || value !== 1) return false;
  }
  return count === 1 && generator.next().value === 1 && generator.next().done === true;
}

/** True if the built-ins, replaced or not, work as this process needs. */
export function areBuiltInsSound(): boolean {
  try {
    // No array method: it may be broken.
    for (let index = 0; index < probes.length; index += 1) if (!probes[index]!()) return false;
    return true;
  } catch {
    return false;
  }
}
