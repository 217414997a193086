import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { Readable } from 'node:stream';
import { types } from 'node:util';
import { buildSync } from 'esbuild';
import { afterEach, describe, expect, test } from 'vitest';
import { type BuiltIns, captureBuiltIns } from '../../../src/engine/host/built-ins.js';
import { writeFolder } from '../../support/packages.js';

const intact = captureBuiltIns();
afterEach(() => {
  expect(intact.heal()).toEqual([]);
});

// The names are those of extensions, which write plain JavaScript.
// biome-ignore lint/suspicious/noExplicitAny: see above
const any = (value: unknown) => value as any;
const objectPrototype = any(Object.prototype);

interface Outcome {
  readonly found: readonly string[];
  readonly left: readonly string[];
  readonly after: readonly string[];
}

/** Applies a change, compares, and heals. The test runner uses no built-in meanwhile. */
function tamper(change: () => void, builtIns: BuiltIns = intact, thorough = false): Outcome {
  try {
    change();
  } catch (error) {
    intact.heal();
    throw error;
  }
  const found = builtIns.difference(thorough);
  const left = builtIns.heal();
  return { found, left, after: builtIns.difference() };
}

const program = buildSync({
  entryPoints: [path.resolve(import.meta.dirname, '../../../src/engine/host/built-ins.ts')],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  write: false,
}).outputFiles[0]!.text;

/** Runs code in a Node process with a snapshot named `builtIns`. Returns the value that the code prints. */
// biome-ignore lint/suspicious/noExplicitAny: each test reads its own value
function runAlone(code: string): any {
  const main = `const { captureBuiltIns } = require('./built-ins.cjs');
    const { writeSync } = require('node:fs');
    let builtIns = captureBuiltIns();
    const { stringify } = JSON;
    const print = (value) => writeSync(1, stringify(value));
    ${code}`;
  const file = path.join(writeFolder({ 'built-ins.cjs': program, 'main.cjs': main }), 'main.cjs');
  const { stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', file], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const healed = { left: [], after: [] };

/** Changes that a single comparison finds, in the words for them. */
const tamperings: Readonly<Record<string, () => void>> = {
  'Array.prototype.map was replaced': () => {
    any(Array.prototype).map = () => [];
  },
  'JSON.stringify was replaced': () => {
    JSON.stringify = () => '{}';
  },
  'Array.prototype[Symbol(Symbol.iterator)] was replaced': () => {
    any(Array.prototype)[Symbol.iterator] = () => {
      throw new Error('no');
    };
  },
  '%ArrayIteratorPrototype%.next was replaced': () => {
    any(Object.getPrototypeOf([][Symbol.iterator]())).next = () => ({ done: true });
  },
  'Promise.prototype.then was replaced': () => {
    // biome-ignore lint/suspicious/noThenProperty: the one that all promises have
    any(Promise.prototype).then = () => {};
  },
  'Map.prototype.get was removed': () => {
    delete any(Map.prototype).get;
  },
  'Map.prototype.size was replaced': () => {
    Object.defineProperty(Map.prototype, 'size', { get: () => 7, configurable: true });
  },
  'Object.prototype.extend was added': () => {
    objectPrototype.extend = 1;
  },
  'Object.prototype.toJSON was added': () => {
    Object.defineProperty(objectPrototype, 'toJSON', { value: () => 'x', configurable: true });
  },
  'Object.prototype[Symbol(x)] was added': () => {
    objectPrototype[Symbol('x')] = 1;
  },
  'Array.prototype.last was added': () => {
    any(Array.prototype).last = 1;
  },
  'the prototype of Array.prototype was replaced': () => {
    Object.setPrototypeOf(Array.prototype, null);
  },
  'globalThis.setTimeout was replaced': () => {
    any(globalThis).setTimeout = () => {};
  },
  'globalThis.Promise was replaced': () => {
    any(globalThis).Promise = class {};
  },
  'globalThis.JSON was replaced': () => {
    any(globalThis).JSON = {};
  },
  'globalThis.performance was replaced': () => {
    any(globalThis).performance = {};
  },
  'globalThis.process was replaced': () => {
    any(globalThis).process = {};
  },
  'globalThis.Math was removed': () => {
    delete any(globalThis).Math;
  },
  'globalThis.globalThis was removed': () => {
    delete any(globalThis).globalThis;
  },
  'globalThis.crypto was removed': () => {
    delete any(globalThis).crypto;
  },
  'globalThis.Response was removed': () => {
    delete any(globalThis).Response;
  },
  'process.nextTick was replaced': () => {
    process.nextTick = () => {};
  },
  'EventEmitter.prototype.emit was replaced': () => {
    EventEmitter.prototype.emit = () => false;
  },
  'AbortController.prototype.abort was replaced': () => {
    AbortController.prototype.abort = () => {};
  },
  'Buffer.from was replaced': () => {
    any(Buffer).from = () => {};
  },
  'fs.readFileSync was replaced': () => {
    any(fs).readFileSync = () => '';
  },
  'stream.Readable.prototype.push was replaced': () => {
    any(Readable.prototype).push = () => {};
  },
  'util.types.isProxy was replaced': () => {
    any(types).isProxy = () => true;
  },
  'Timeout.prototype.unref was replaced': () => {
    const timeout = setTimeout(() => {});
    clearTimeout(timeout);
    Object.getPrototypeOf(timeout).unref = () => {};
  },
  'process.on was added': () => {
    process.on = () => process;
  },
  'Array[Symbol(Symbol.hasInstance)] was added': () => {
    Object.defineProperty(Array, Symbol.hasInstance, { configurable: true, value: () => false });
  },
  'Function.prototype.then was added': () => {
    Object.defineProperty(Function.prototype, 'then', { configurable: true, value: () => {} });
  },
  'console.log was replaced': () => {
    console.log = () => {};
  },
  'process.versions was replaced': () => {
    Object.defineProperty(process, 'versions', { value: {} });
  },
  'module._pathCache was replaced': () => {
    any(Module)._pathCache = null;
  },
  'MessagePort.prototype.postMessage was replaced': () => {
    MessagePort.prototype.postMessage = () => {};
  },
  'SubtleCrypto.prototype.digest was replaced': () => {
    Object.getPrototypeOf(crypto.subtle).digest = () => {};
  },
  'Intl.NumberFormat.prototype.formatToParts was replaced': () => {
    Intl.NumberFormat.prototype.formatToParts = () => [];
  },
};

describe('`difference`', () => {
  test('is empty while nothing changes', () => {
    for (let count = 0; count < 200; count++) expect(intact.difference()).toEqual([]);
  });

  test.each(Object.entries(tamperings))('reports that %s, and restores it', (text, change) => {
    expect(tamper(change)).toEqual({ found: [text], ...healed });
  });

  test.each<readonly [string, () => void]>([
    [
      'Map.prototype.hidden was added',
      () => Object.defineProperty(Map.prototype, 'hidden', { value: 1, configurable: true }),
    ],
    ['path.sep was replaced', () => Object.assign(path, { sep: '' })],
    ['Buffer.poolSize was replaced', () => Object.assign(Buffer, { poolSize: -1 })],
    ['process.platform was replaced', () => Object.defineProperty(process, 'platform', { value: 'none' })],
    ['Error.prototype.name was replaced', () => Object.assign(Error.prototype, { name: 'Terror' })],
    [
      'Set.prototype.add was reconfigured',
      () => Object.defineProperty(Set.prototype, 'add', { enumerable: false, writable: false }),
    ],
  ])('reports in a thorough check that %s, and restores it', (text, change) => {
    expect(tamper(change, intact, true)).toEqual({ found: [text], ...healed });
  });

  test('finds a hidden index of Array.prototype at once', () => {
    const outcome = tamper(() => Object.defineProperty(Array.prototype, 5, { value: 1, configurable: true }));
    const found = ['Array.prototype.5 was added', 'Array.prototype.length was replaced'];
    expect(outcome).toEqual({ found, ...healed });
  });

  test('finds a getter in place of a method, even if the getter throws', () => {
    let runs = 0;
    const outcome = tamper(() => {
      Object.defineProperty(Array.prototype, 'map', {
        configurable: true,
        get() {
          runs += 1;
          throw new Error('no');
        },
      });
    });
    expect(outcome).toEqual({ found: ['Array.prototype.map was replaced'], ...healed });
    expect(runs).toBe(1);
  });

  test('lists the first changes only', () => {
    const { found, left } = tamper(() => {
      for (let index = 0; index < 40; index++) objectPrototype[`key${index}`] = index;
    });
    expect(found).toHaveLength(20);
    expect(found[0]).toBe('Object.prototype.key0 was added');
    expect(left).toEqual([]);
  });

  test('finds everything at once if it is thorough', () => {
    const hide = () => Object.defineProperty(Set.prototype, 'hidden', { value: 1, configurable: true });
    hide();
    expect(intact.difference(true)).toEqual(['Set.prototype.hidden was added']);
    expect(intact.hasOnlyAdditions()).toBe(true);
    expect(intact.heal()).toEqual([]);
    Object.defineProperty(Error, 'stackTraceLimit', { get: () => 1, configurable: true });
    const found = intact.difference(true);
    const isHarmless = intact.hasOnlyAdditions();
    expect(intact.heal()).toEqual([]);
    expect(found).toEqual(['Error.stackTraceLimit was replaced']);
    expect(isHarmless).toBe(false);
  });

  test('shortens long names', () => {
    const { found } = tamper(() => {
      objectPrototype['x'.repeat(10_000)] = 1;
    });
    expect(found).toEqual([`Object.prototype.${'x'.repeat(100)} was added`]);
  });

  test('ignores settings, additions to constructors, and globals', () => {
    const { stackTraceLimit } = Error;
    let found: readonly string[];
    try {
      Error.stackTraceLimit = 50;
      any(Promise).extra = () => {};
      any(globalThis).extra = () => {};
      any(process).extra = () => {};
      found = intact.difference();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
      delete any(Promise).extra;
      delete any(globalThis).extra;
      delete any(process).extra;
    }
    expect(found).toEqual([]);
  });
});

describe('the check of much-used objects', () => {
  test.each<[string, () => void]>([
    ['a function', () => Object.assign(Array, { isArray: () => true })],
    ['a global', () => Object.assign(globalThis, { isNaN: () => true })],
    [
      'an accessor',
      () => Object.defineProperty(RegExp.prototype, 'global', { configurable: true, value: 1 }),
    ],
    [
      'the signal of a controller',
      () => Object.defineProperty(AbortController.prototype, 'signal', { configurable: true, value: 1 }),
    ],
    ['a species', () => Object.defineProperty(Array, Symbol.species, { configurable: true, value: null })],
    ['an iterator', () => Object.assign(Object.getPrototypeOf(new Map().keys()), { next: () => ({}) })],
    ['Object.prototype', () => Object.defineProperty(objectPrototype, 'x', { configurable: true, value: 1 })],
  ])('finds a change of %s, also when it is compiled', (_, change) => {
    const builtIns = captureBuiltIns();
    for (const runs of [1, 200]) {
      let before = false;
      for (let run = 0; run < runs; run += 1) before ||= builtIns.haveEssentialsChanged();
      change();
      const found = builtIns.haveEssentialsChanged();
      intact.heal();
      expect([before, found, builtIns.haveEssentialsChanged()]).toEqual([false, true, false]);
    }
  });
});

describe('globals', () => {
  test('are restored though all of them were deleted', () => {
    const [found, left, lost] = runAlone(`
      const names = Reflect.ownKeys(globalThis).filter((name) => typeof name === 'string');
      const { deleteProperty } = Reflect;
      const root = globalThis;
      const count = names.length;
      for (let index = 0; index < count; index += 1) deleteProperty(root, names[index]);
      const found = builtIns.difference();
      const left = builtIns.heal();
      print([found, left, names.filter((name) => !(name in globalThis))]);`);
    expect(found!.length).toBeGreaterThan(10);
    expect([left, lost]).toEqual([[], []]);
  });

  test('are restored though one was replaced before its first use', () => {
    const [found, left, after] = runAlone(`
      globalThis.BroadcastChannel = class {};
      print([builtIns.difference(true), builtIns.heal(), [new BroadcastChannel('a').name]]);
      process.exit();`);
    expect([found, left, after]).toEqual([['globalThis.BroadcastChannel was replaced'], [], ['a']]);
  });

  test('are compared with their prototypes after their first use', () => {
    const [found] = runAlone(`
      void Response;
      builtIns.difference(true);
      builtIns = captureBuiltIns();
      Response.prototype.json = () => {};
      print([builtIns.difference()]);`);
    expect(found).toEqual(['Response.prototype.json was replaced']);
  });

  test.each([
    ['let', `let JSON = {}`, 'JSON'],
    ['const', `const Promise = {}`, 'Promise'],
    ['a class', `class Map {}`, 'Map'],
    ['a declaration that fails', `let Buffer = missing.x`, 'Buffer'],
  ])('cannot be restored if a script shadows them by %s', (_, script, name) => {
    const [before, found, isHarmless, left, isLost] = runAlone(`
      const before = builtIns.difference();
      try { require('node:vm').runInThisContext(${JSON.stringify(script)}); } catch {}
      const outcome = [before, builtIns.difference(), builtIns.hasOnlyAdditions(), builtIns.heal(), builtIns.hasLostGlobals()];
      print(outcome);`);
    const text = `${name} was shadowed by a script`;
    expect([before, found, isHarmless, left, isLost]).toEqual([[], [text], false, [text], true]);
  });

  test('stay the same while Node loads its modules', () => {
    const [found] = runAlone(`
      const found = new Set();
      const compare = () => {
        for (const isThorough of [false, true, false]) for (const change of builtIns.difference(isThorough)) found.add(change);
        if (builtIns.isOutdated) builtIns = captureBuiltIns();
      };
      for (const name of Reflect.ownKeys(globalThis)) { void globalThis[name]; compare(); }
      process.removeAllListeners('warning');
      for (const name of process.getBuiltinModule('module').builtinModules) {
        if (/^(_|node:|inspector|trace_events|sys|wasi|punycode)/.test(name)) continue;
        const exports = process.getBuiltinModule(name);
        compare();
        for (const member of [exports, exports.constants]) for (const key in member) void member[key];
        compare();
      }
      print([[...found]]);`);
    expect(found).toEqual([]);
  });
});

describe('poisoned built-ins', () => {
  test('are healed though each of them is broken', () => {
    const outcome = tamper(() => {
      const broken = () => {
        throw new Error('broken');
      };
      const { getOwnPropertyDescriptor: descriptorOf, ownKeys, set } = Reflect;
      const owners = [
        Reflect,
        Object,
        Array,
        Array.prototype,
        String.prototype,
        Map.prototype,
        Function.prototype,
      ];
      const keys = owners.map((owner) =>
        ownKeys(owner).filter((key) => typeof descriptorOf(owner, key)?.value === 'function'),
      );
      for (let at = 0; at < owners.length; at++) {
        for (let index = 0; index < keys[at]!.length; index++) set(owners[at]!, keys[at]![index]!, broken);
      }
      any(globalThis).String = broken;
    });
    expect(outcome.found.length).toBeGreaterThan(0);
    expect(outcome).toMatchObject(healed);
  });

  test('are healed though descriptors inherit a getter', () => {
    const outcome = tamper(() => {
      JSON.parse = () => ({});
      Object.keys = () => [];
      Object.defineProperty(Object.prototype, '0', { set: () => {}, configurable: true, enumerable: true });
      objectPrototype.get = () => {};
      objectPrototype.value = 1;
      objectPrototype.writable = false;
    });
    expect(outcome.found).toContain('Object.prototype.get was added');
    expect(outcome).toMatchObject(healed);
  });

  test('names the ones that cannot be restored', () => {
    // The damage lasts.
    const [found, left] = runAlone(`
      Object.defineProperty(Object.prototype, 'stays', { value: 1 });
      Object.freeze(Set.prototype);
      const found = builtIns.difference();
      print([found, builtIns.heal()]);`);
    expect(found).toContain('Object.prototype.stays was added');
    expect(left).toContain('Object.prototype.stays was added');
    expect(left).toContain('Set.prototype.add was reconfigured');
  });
});

describe('polyfills', () => {
  test('keep working and do not show in `for…in`', () => {
    const before = captureBuiltIns();
    objectPrototype.extend = function (this: object) {
      return Object.keys(this);
    };
    any(Array.prototype).last = () => 'last';
    before.hideAdditions();
    const seen: string[] = [];
    for (const key in { a: 1 }) seen.push(key);
    for (const key in [1]) seen.push(key);
    const results = [any({ b: 1 }).extend(), any([]).last()];
    intact.heal();
    expect(seen).toEqual(['a', '0']);
    expect(results).toEqual([['b'], 'last']);
  });

  test('are functions with names that no other code reads', () => {
    const { removed, left } = runAlone(`
      const keep = { configurable: true, writable: true, value() {} };
      Object.defineProperty(Object.prototype, 'hidden', keep);
      Object.defineProperty(Object.prototype, 'fixed', { value: 1 });
      Object.prototype.limit = 10;
      Object.prototype.deepClone = Object.prototype.name = Object.prototype.get = () => {};
      Object.prototype[Symbol.iterator] = function* () {};
      Array.prototype[0] = 'x';
      const outcome = builtIns.removePollution((name) => name === 'name');
      print({ ...outcome, left: [...outcome.left, ...builtIns.difference(true), [].length] });`);
    expect(removed).toEqual([
      'Object.prototype.limit',
      'Object.prototype.get',
      'Object.prototype.name',
      'Object.prototype[Symbol(Symbol.iterator)]',
      'an index of Array.prototype',
    ]);
    expect(left).toEqual([
      'Object.prototype.fixed',
      'Object.prototype.hidden was added',
      'Object.prototype.fixed was added',
      'Object.prototype.deepClone was added',
      0,
    ]);
  });

  test('replace a global if they have its functions', () => {
    const outcome = runAlone(`
      const lost = [];
      const originals = Object.getOwnPropertyDescriptors(globalThis);
      const attempt = (name, value) => {
        Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
        lost.push(builtIns.hasLostGlobals());
        Object.defineProperty(globalThis, name, originals[name]);
      };
      attempt('Intl', {});
      attempt('performance', { now: () => 1 });
      attempt('crypto', null);
      attempt('Map', undefined);
      attempt('crypto', require('node:crypto').webcrypto);
      attempt('Map', class extends Map {});
      attempt('console', Object.create(console));
      attempt('fetch', undefined);
      print([lost]);`);
    expect(outcome[0]).toEqual([true, true, true, true, false, false, false, false]);
  });

  test('belong to a snapshot that is taken after them', () => {
    any(Array.prototype).at = function (this: unknown[], index: number) {
      return this[index < 0 ? this.length + index : index];
    };
    Object.defineProperty(Array.prototype, 'last', { value: () => 1, configurable: true, writable: true });
    const after = captureBuiltIns();
    const clean = after.difference();
    const outcome = tamper(() => {
      any(Array.prototype).last = () => 2;
    }, after);
    const last = any([]).last();
    intact.heal();
    expect(clean).toEqual([]);
    expect(outcome).toEqual({ found: ['Array.prototype.last was replaced'], ...healed });
    expect(last).toBe(1);
  });
});
