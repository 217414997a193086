import type { Extension } from '../extension/extension.js';
import { lazyReference } from '../extension/lazy-reference.js';

/** A function that is fetched when first needed: at once if it is there, by import if it is a module reference. */
export type Lazy<F> = () => Promise<F>;

/** A function that an extension's module was said to hold cannot be had. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}

/** Makes a function or a module reference of a definition callable. @throws never; the returned function may. */
export function lazyFunction<F>(value: unknown, extension: Extension): Lazy<F> {
  if (extension.isSurface) {
    return async () => {
      throw new LoadError('it runs in the extension host, which did not answer');
    };
  }
  if (typeof value === 'function') return async () => value as F;
  if (typeof value !== 'string') {
    return async () => {
      throw new LoadError('it is neither a function nor a module reference');
    };
  }
  const load = lazyReference(extension.paths, value, 'function');
  return async () => (await load()) as F;
}
