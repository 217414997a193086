import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { PublishedExtension } from './published.js';

/**
 * Looks up a package in the registry that its name belongs to; undefined if it is not an extension.
 * @throws AgentToolsError with the reason if the package is unavailable
 */
export type FindPublished = (name: string) => Promise<PublishedExtension | undefined>;

export interface RegistryLookup {
  /** Source of registries, credentials and proxies. */
  readonly npm: NpmDeps;
}

/** Looks up extensions in the registries of the user's npm, by name. Writes nothing. */
export function publishedExtensions({ npm }: RegistryLookup): FindPublished {
  return async (name) => {
    const [{ openRegistries }, { readPublished }] = await Promise.all([
      import('./registries.js'),
      import('./published.js'),
    ]);
    const registries = await openRegistries({ npm });
    const signal = AbortSignal.timeout(timeLimitMs);
    return await readPublished(name, { registries, signal, withTime: true });
  };
}

/** Time limit for one package, since the user waits for it. */
const timeLimitMs = 20_000;
