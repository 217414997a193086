import { EventEmitter } from 'node:events';

/** A built-in object that all code of a process shares. */
export interface StandardObject {
  /** `Array.prototype`, or `%IteratorPrototype%` as in ECMA-262 where no path leads to it. */
  readonly name: string;
  readonly object: object;
  /** Adding properties is harmless here, and usual. */
  readonly isOpen: boolean;
  /** The properties that count; all if undefined. */
  readonly keys?: readonly PropertyKey[];
}

/** Globals that are compared with all their properties and, for constructors, their prototypes. */
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
  // Its other properties are settings.
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
] as const;

/** Built-in prototypes that no global leads to. */
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

/** The functions that an object has by itself. Getters are not run. */
function ownFunctions(object: object): readonly PropertyKey[] {
  return Reflect.ownKeys(object).filter((key) => {
    const { value } = Reflect.getOwnPropertyDescriptor(object, key) ?? {};
    return typeof value === 'function';
  });
}

/**
 * The built-in objects that are compared, found through properties that nothing has replaced yet: call it before
 * extension code loads.
 */
export function standardObjects(): readonly StandardObject[] {
  const found: StandardObject[] = [];
  const add = (name: string, object: unknown, options: Partial<StandardObject> = {}): void => {
    if (isObject(object)) found.push({ name, object, isOpen: true, ...options });
  };
  for (const name of globals) {
    const value: unknown = Reflect.get(globalThis, name);
    add(name, value, name === 'Error' ? { keys: ['captureStackTrace'] } : {});
    if (typeof value === 'function') add(`${name}.prototype`, value.prototype, { isOpen: false });
  }
  for (const [name, object] of Object.entries(hiddenPrototypes())) add(name, object, { isOpen: false });
  add('%TypedArray%', Object.getPrototypeOf(Uint8Array));
  add('EventEmitter', EventEmitter);
  add('EventEmitter.prototype', EventEmitter.prototype, { isOpen: false });
  // Node defines other globals by getters that replace themselves, and keeps its state in objects of `process`.
  add('globalThis', globalThis, { keys: ownFunctions(globalThis) });
  add('process', process, { keys: ownFunctions(process) });
  return found;
}
