type PatchedFunction = (...args: unknown[]) => unknown;

/** Replaces properties of foreign objects, and restores them. */
export class Patches {
  readonly #undo: (() => void)[] = [];

  /** Replaces a property. */
  define(owner: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
    const before = Object.getOwnPropertyDescriptor(owner, key);
    Object.defineProperty(owner, key, descriptor);
    this.#undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(owner, key);
      else Object.defineProperty(owner, key, before);
    });
  }

  /** Wraps a method. The wrapper copies all properties of the original, such as those that `util.promisify` reads. */
  wrap<Key extends string>(
    owner: { readonly [key in Key]: unknown },
    key: Key,
    around: (original: PatchedFunction) => PatchedFunction,
  ): void {
    const original = owner[key] as PatchedFunction;
    const wrapper = around(original);
    function replacement(this: unknown, ...args: unknown[]): unknown {
      return wrapper.apply(this, args);
    }
    const { prototype: _, ...looks } = Object.getOwnPropertyDescriptors(original) as Record<
      string,
      PropertyDescriptor
    >;
    Object.defineProperties(replacement, looks);
    this.define(owner, key, { configurable: true, enumerable: true, writable: true, value: replacement });
  }

  onRestore(undo: () => void): void {
    this.#undo.push(undo);
  }

  restore(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}
