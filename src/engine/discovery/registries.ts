import { createHmac } from 'node:crypto';
import path from 'node:path';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { NpmSettings, RegistryEndpoint } from '../npm/settings.js';

/** What a registry is asked for. */
interface RegistryQuery {
  readonly place: RegistryEndpoint;
  /** Such as `/-/v1/search`, or the address of a tarball. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** What is longer is not taken. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The registries that npm is set to, as they are asked what they have. */
export interface Registries {
  /** The one for everything first. */
  readonly places: readonly [RegistryEndpoint, ...RegistryEndpoint[]];
  /** Tells registries, and those who ask them, apart: what one may see another may not. */
  identityOf(place: RegistryEndpoint): string;
  /** @throws RegistryError */
  json(question: RegistryQuery): Promise<unknown>;
  /** @throws RegistryError, also if the bytes are not the ones that were published */
  tarball(question: RegistryQuery & { readonly integrity: string }): Promise<Buffer>;
}

export interface RegistriesOptions {
  readonly npm: NpmDeps;
  /** Absent: nothing is kept. */
  readonly cacheFolder?: string;
}

/** The registries of the user's npm, with its credentials, proxies and certificates. */
export async function openRegistries({ npm, cacheFolder }: RegistriesOptions): Promise<Registries> {
  const [{ readNpmSettings }, { getJson, getTarball }, { readSecret }] = await Promise.all([
    import('../npm/settings.js'),
    import('../npm/registry.js'),
    import('./registry-secret.js'),
  ]);
  const settings = await readNpmSettings(npm);
  const secret = await readSecret(cacheFolder);
  const identityOf = (place: RegistryEndpoint) => identity(place, { settings, secret });
  // An answer is kept apart for everybody whom it was given to.
  const common = (place: RegistryEndpoint) => ({
    settings,
    cacheFolder: cacheFolder && path.join(cacheFolder, 'registry', identityOf(place).slice(0, 16)),
    timeoutMs,
  });
  return {
    places: settings.registries,
    identityOf,
    json: ({ place, path, ...question }) =>
      getJson(path, { ...common(place), ...question, registry: place.url }),
    tarball: ({ place, path, integrity, maxBytes, signal }) =>
      getTarball(path, integrity, { ...common(place), maxBytes, signal }),
  };
}

/** Longest silence: there are others to be asked. */
const timeoutMs = 10_000;

interface RegistryCredentials {
  readonly settings: NpmSettings;
  readonly secret: string;
}

/** Who one is to a registry, of which nothing can be guessed without the secret. */
function identity(
  { url, scope }: RegistryEndpoint,
  { settings: { options }, secret }: RegistryCredentials,
): string {
  const own = Object.entries(options).filter(([key]) => key.startsWith('//') || credentials.includes(key));
  const scopes = Object.entries(options).filter(([key]) => /^@[^:]*:registry$/.test(key));
  const facts = JSON.stringify([url, scope ?? null, own.sort(byKey), scopes.sort(byKey)]);
  return createHmac('sha256', secret).update(facts).digest('hex');
}

const credentials = ['_auth', '_authToken', 'username', '_password', 'cert', 'key'];

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** The registry that a package comes from. */
export function registryFor(name: string, { places }: Pick<Registries, 'places'>): RegistryEndpoint {
  const [scope] = name.startsWith('@') ? name.split('/') : [];
  return places.find((place) => scope !== undefined && place.scope === scope) ?? places[0];
}
