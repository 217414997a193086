import { EventEmitter } from 'node:events';
import process from 'node:process';

/** Built-in object that all code of a process shares. */
export interface StandardObject {
  /** `Array.prototype`, or `%IteratorPrototype%` as in ECMA-262 if no global path exists. */
  readonly name: string;
  readonly object: object;
  /** True if additional properties are harmless and usual. */
  readonly isOpen: boolean;
  /** Compared properties. Default: all. */
  readonly keys?: readonly PropertyKey[];
  /** Inherited properties that the object must not define itself. */
  readonly inherited?: readonly PropertyKey[];
  /** Property that may take any primitive value. */
  readonly setting?: PropertyKey;
  /** True if a Node module exports the object. There are many: only their values are compared each time. */
  readonly isOfModule?: boolean;
  /** True for `globalThis`. Node defines many unused globals as getters. */
  readonly isGlobal?: boolean;
  /** Properties that Node itself replaces when it loads an internal module, by key: the name of the module. */
  readonly replacedBy?: Readonly<Record<PropertyKey, string>>;
}

/** Node wraps these for workers and domains. */
const replacedByModules: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  process: { chdir: 'internal/worker', setUncaughtExceptionCaptureCallback: 'domain' },
  EventEmitter: { init: 'domain', usingDomains: 'domain' },
  'EventEmitter.prototype': { emit: 'domain' },
};

/** Globals that are compared with all their properties and, for constructors, with their prototypes. */
const globals = [
  'Object',
  'Function',
  'Array',
  'String',
  'Number',
  'Boolean',
  'Symbol',
  'BigInt',
  'Date',
  'RegExp',
  // `Error` is compared by three properties only.
  'Error',
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'Promise',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'WeakRef',
  'FinalizationRegistry',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'JSON',
  'Math',
  'Reflect',
  'Proxy',
  'Atomics',
  'Buffer',
  'AbortController',
  'AbortSignal',
  'EventTarget',
  'Event',
  'URL',
  'URLSearchParams',
  'TextEncoder',
  'TextDecoder',
  'console',
  'WebAssembly',
  'Intl',
] as const;

/** Globals that nearly all code needs. Some programs remove others, such as `fetch`, to choose another implementation. */
export const essentialGlobals = [
  ...globals,
  'globalThis',
  'global',
  'process',
  'performance',
  'crypto',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
  'structuredClone',
] as const;

/** Node appends the name of each module that it loads. */
export const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };

/** Globals that Node replaces by their values on first use, and that need no other modules than the host has loaded. */
const loadedClasses = ['Blob', 'DOMException', 'MessageChannel', 'MessagePort'] as const;

/** Globals of Node, without those that extensions add. */
const nodeGlobals = Reflect.ownKeys(globalThis);

/** Properties of `process` that are values, and that code reads to choose its branch. */
const processFacts = [
  'arch',
  'execPath',
  'moduleLoadList',
  'pid',
  'platform',
  'release',
  'version',
  'versions',
];

/** Node modules with exports that extensions share once any code has loaded them. */
const modules = [
  'assert',
  'async_hooks',
  'buffer',
  'child_process',
  'crypto',
  'dgram',
  'diagnostics_channel',
  'dns',
  'dns/promises',
  'events',
  'fs',
  'fs/promises',
  'http',
  'https',
  'module',
  'net',
  'os',
  'path',
  'perf_hooks',
  'querystring',
  'readline',
  'readline/promises',
  'stream',
  'stream/promises',
  'string_decoder',
  'timers',
  'timers/promises',
  'tls',
  'tty',
  'url',
  'util',
  'util/types',
  'v8',
  'vm',
  'worker_threads',
  'zlib',
] as const;

/** Keys that code reads from any object to detect thenables or to write JSON. */
const magic = ['then', 'toJSON'] as const;

/** Built-in prototypes without a global path. */
function hiddenPrototypes(): Readonly<Record<string, object>> {
  const above = Object.getPrototypeOf as (value: object) => object;
  const generator = function* () {};
  const asyncGenerator = async function* () {};
  const arrayIterator = above([][Symbol.iterator]());
  return {
    '%IteratorPrototype%': above(arrayIterator),
    '%ArrayIteratorPrototype%': arrayIterator,
    '%MapIteratorPrototype%': above(new Map().entries()),
    '%SetIteratorPrototype%': above(new Set().entries()),
    '%StringIteratorPrototype%': above(''[Symbol.iterator]()),
    '%RegExpStringIteratorPrototype%': above(''.matchAll(/./g)),
    '%GeneratorFunction.prototype%': above(generator),
    '%GeneratorPrototype%': above(generator.prototype),
    '%AsyncFunction.prototype%': above(async () => {}),
    '%AsyncGeneratorFunction.prototype%': above(asyncGenerator),
    '%AsyncGeneratorPrototype%': above(asyncGenerator.prototype),
    '%AsyncIteratorPrototype%': above(above(asyncGenerator.prototype)),
    '%TypedArray.prototype%': above(Uint8Array.prototype),
  };
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Prototypes of timers, which no module exports. */
function timerPrototypes(): Readonly<Record<string, object>> {
  const timeout = setTimeout(() => {});
  clearTimeout(timeout);
  const immediate = setImmediate(() => {});
  clearImmediate(immediate);
  const above = Object.getPrototypeOf as (value: object) => object;
  return { 'Timeout.prototype': above(timeout), 'Immediate.prototype': above(immediate) };
}

/** Own properties of an object. */
function ownMembers(object: object): readonly PropertyKey[] {
  return Reflect.ownKeys(object).filter((key) => key !== '__proto__');
}

/** Own functions and accessors of an object. Other values are entries, as in the cache of modules. */
function ownOperations(object: object): readonly PropertyKey[] {
  return ownMembers(object).filter((key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(object, key)!;
    return !('value' in descriptor) || typeof descriptor.value === 'function';
  });
}

/** Inherited methods of an object, except those from `Object.prototype`. */
function inheritedMethods(object: object): readonly PropertyKey[] {
  const keys = new Set<PropertyKey>();
  for (
    let above = Object.getPrototypeOf(object) as object;
    above && above !== Object.prototype;
    above = Object.getPrototypeOf(above)
  ) {
    for (const key of ownFunctions(above)) if (!Object.hasOwn(object, key)) keys.add(key);
  }
  keys.delete('constructor');
  return [...keys];
}

/** Own functions of an object. Runs no getters. */
function ownFunctions(object: object): readonly PropertyKey[] {
  return Reflect.ownKeys(object).filter((key) => {
    const { value } = Reflect.getOwnPropertyDescriptor(object, key) ?? {};
    return typeof value === 'function';
  });
}

/**
 * Returns the compared built-in objects. Call it before extension code loads and can replace the properties that lead to
 * them.
 */
export function standardObjects(): readonly StandardObject[] {
  const found: StandardObject[] = [];
  const add = (name: string, object: unknown, options: Partial<StandardObject> = {}): void => {
    const replacedBy = replacedByModules[name];
    if (isObject(object))
      found.push({ name, object, isOpen: true, ...options, ...(replacedBy && { replacedBy }) });
  };
  for (const name of globals) {
    const value: unknown = Reflect.get(globalThis, name);
    const isFunction = typeof value === 'function';
    add(name, value, {
      // `poolSize` is a number, and no buffer can be allocated if it is wrong.
      ...(name === 'Buffer' && { keys: ownMembers(Buffer) }),
      ...(name === 'Error' && {
        keys: ['captureStackTrace', 'prepareStackTrace', 'stackTraceLimit'],
        setting: 'stackTraceLimit',
      }),
      inherited: [
        ...(isFunction && !Object.hasOwn(value, Symbol.hasInstance) ? [Symbol.hasInstance] : []),
        ...(name === 'Error' ? ['prepareStackTrace'] : []),
      ].filter((key) => !Object.hasOwn(value as object, key)),
    });
    if (isFunction) add(`${name}.prototype`, value.prototype, { isOpen: false, inherited: magic });
  }
  const hidden = { ...hiddenPrototypes(), ...timerPrototypes() };
  for (const [name, object] of Object.entries(hidden)) add(name, object, { isOpen: false });
  const { performance } = globalThis;
  add('performance', performance, { inherited: inheritedMethods(performance) });
  add('Performance.prototype', Object.getPrototypeOf(performance));
  add('%TypedArray%', Object.getPrototypeOf(Uint8Array));
  add('EventEmitter', EventEmitter);
  add('EventEmitter.prototype', EventEmitter.prototype, { isOpen: false });
  add('globalThis', globalThis, { keys: Reflect.ownKeys(globalThis), isGlobal: true });
  // Node keeps state in objects of `process`.
  add('process', process, {
    keys: [...ownFunctions(process), ...processFacts, 'stdin', 'stdout', 'stderr'],
    inherited: inheritedMethods(process),
  });
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = process[name];
    add(`process.${name}`, stream, { keys: ownFunctions(stream), inherited: inheritedMethods(stream) });
  }
  return found;
}

/** Modules and objects that are already listed. */
export interface KnownObjects {
  readonly modules: Set<string>;
  readonly objects: Set<object>;
}

/**
 * Returns the new objects that loaded Node modules export and the classes of new globals, and adds them to `known`.
 */
export function moduleObjects(known: KnownObjects): readonly StandardObject[] {
  const found: StandardObject[] = [];
  const add = (name: string, object: unknown, keysOf = ownMembers): void => {
    if (!isObject(object) || known.objects.has(object)) return;
    known.objects.add(object);
    const keys = keysOf(object);
    if (keys.length > 0) found.push({ name, object, isOpen: true, keys, isOfModule: true });
  };
  const addMembers = (owner: object, keys: readonly PropertyKey[], prefix = ''): void => {
    for (const key of keys) {
      const { value } = (Reflect.getOwnPropertyDescriptor(owner, key) ?? {}) as { readonly value?: unknown };
      const name = `${prefix}${String(key)}`;
      if (typeof value === 'object') {
        if (prefix !== '') add(name, value, ownOperations);
      } else if (typeof value === 'function' && isObject(value.prototype)) {
        add(name, value);
        add(`${name}.prototype`, value.prototype);
      }
    }
  };
  for (const name of loadedClasses) Reflect.get(globalThis, name);
  addMembers(globalThis, nodeGlobals);
  for (const name of ['Intl', 'WebAssembly']) {
    const owner: unknown = Reflect.get(globalThis, name);
    if (isObject(owner)) addMembers(owner, Reflect.ownKeys(owner), `${name}.`);
  }
  add('Crypto.prototype', Object.getPrototypeOf(crypto));
  add('SubtleCrypto.prototype', Object.getPrototypeOf(crypto.subtle));
  const loaded = new Set(moduleLoadList);
  for (const name of modules) {
    if (known.modules.has(name) || !loaded.has(`NativeModule ${name}`)) continue;
    known.modules.add(name);
    const exports = process.getBuiltinModule(name) as object;
    add(name, exports);
    addMembers(exports, Object.keys(exports), `${name}.`);
  }
  return found;
}
