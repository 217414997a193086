import type { PathScope } from '../base/files/path-containment.js';

/** Imports the target of a module reference once. Retries on the next call after a failure. */
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

/** Dynamic import: only a process that runs extension code loads the importer. */
async function load(scope: PathScope, text: string, wanted: 'anything' | 'function'): Promise<unknown> {
  const { loadReference } = await import('./import-module.js');
  return await loadReference(scope, text, wanted);
}
