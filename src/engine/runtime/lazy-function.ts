import { guardCode } from '../base/code-boundary.js';
import type { Extension } from '../extension/extension.js';
import { lazyReference } from '../extension/lazy-reference.js';

/** Loads a function on first use: a module reference by import, a function directly. */
export type Lazy<F> = () => Promise<F>;

/** A function of an extension's module cannot be loaded. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}

/** Creates a loader for a function or a module reference of a definition. @throws never; the returned function may. */
export function lazyFunction<F>(value: unknown, extension: Extension): Lazy<F> {
  if (extension.isSurface) {
    return async () => {
      throw new LoadError('it runs in the extension host, which did not answer');
    };
  }
  if (typeof value === 'function') {
    const code = guardCode(value as F);
    return async () => code;
  }
  if (typeof value !== 'string') {
    return async () => {
      throw new LoadError('it is neither a function nor a module reference');
    };
  }
  const load = lazyReference(extension.paths, value, 'function');
  let loaded: F | undefined;
  return async () => {
    loaded ??= guardCode((await load()) as F);
    return loaded;
  };
}
