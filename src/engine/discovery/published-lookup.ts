import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { PublishedExtension } from './published.js';

/**
 * Looks a package up in the registry that its name belongs to; undefined if it is no extension.
 * @throws AgentToolsError saying why it cannot be had
 */
export type FindPublished = (name: string) => Promise<PublishedExtension | undefined>;

export interface RegistryLookup {
  /** Whose registries, credentials and proxies. */
  readonly npm: NpmDeps;
}

/** The extensions in the registries of the user's npm, by name. Nothing is written. */
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

/** Whoever asks for one package waits for it, but not for long. */
const timeLimitMs = 20_000;
