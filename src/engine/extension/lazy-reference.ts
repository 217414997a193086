import type { PathScope } from '../base/files/path-containment.js';

/** Imports what a module reference names, once; a failed attempt is made anew the next time. */
export function lazyReference(
  scope: PathScope,
  text: string,
  wanted: 'anything' | 'function' = 'anything',
): () => Promise<unknown> {
  let loaded: Promise<unknown> | undefined;
  return () => {
    loaded ??= load(scope, text, wanted).catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

/** Only a process that runs code of extensions loads what imports it. */
async function load(scope: PathScope, text: string, wanted: 'anything' | 'function'): Promise<unknown> {
  const { loadReference } = await import('./import-module.js');
  return await loadReference(scope, text, wanted);
}
