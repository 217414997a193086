/** Replacements for the other `node:` modules, on platforms without Node. */

/** `node:process` */
export default { env: {} } as const;

/** `node:module`: nothing can be loaded by name. */
export function createRequire(): never {
  throw new Error('Packages cannot be looked for on this platform.');
}

/** `node:url` */
export function pathToFileURL(path: string): URL {
  return new URL(`file://${path}`);
}

export function fileURLToPath(url: string): string {
  return decodeURIComponent(new URL(url).pathname);
}

/** `node:async_hooks`: the origin of work is unknown. */
export class AsyncLocalStorage {
  run<T>(_: unknown, work: () => T): T {
    return work();
  }

  getStore(): undefined {
    return undefined;
  }
}

/** `node:events`: listeners are not counted. */
export function setMaxListeners(): void {}

/** `node:timers/promises`: resolves in a later turn of the event loop. */
export async function setImmediate(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
}

/** `node:util` */
export function inspect(value: unknown): string {
  return (typeof value === 'object' && JSON.stringify(value)) || String(value);
}

const isTagged =
  (...tags: readonly string[]) =>
  (value: unknown): boolean =>
    tags.includes(Object.prototype.toString.call(value).slice('[object '.length, -1));

/** Type checks of values that have no JSON form. */
export const types = {
  isMap: isTagged('Map'),
  isSet: isTagged('Set'),
  isNativeError: isTagged('Error'),
  isPromise: isTagged('Promise'),
  isRegExp: isTagged('RegExp'),
  isAnyArrayBuffer: isTagged('ArrayBuffer', 'SharedArrayBuffer'),
  isWeakMap: isTagged('WeakMap'),
  isWeakSet: isTagged('WeakSet'),
  isUint8Array: isTagged('Uint8Array'),
  isBoxedPrimitive: isTagged('String', 'Number', 'Boolean', 'BigInt', 'Symbol'),
  /** Only Node can detect a proxy. */
  isProxy: () => false,
} as const;

/** True if two JSON values are equal. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) => Object.hasOwn(other, key) && isDeepStrictEqual(Reflect.get(one, key), Reflect.get(other, key)),
    )
  );
}
