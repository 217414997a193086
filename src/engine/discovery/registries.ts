import { createHmac } from 'node:crypto';
import path from 'node:path';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import type { NpmSettings, RegistryEndpoint } from '../npm/settings.js';

/** A request to a registry. */
interface RegistryQuery {
  readonly place: RegistryEndpoint;
  /** Such as `/-/v1/search`, or the URL of a tarball. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Largest accepted response, in bytes. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The registries in the user's npm settings, for read requests. */
export interface Registries {
  /** The default registry first. */
  readonly places: readonly [RegistryEndpoint, ...RegistryEndpoint[]];
  /** Key of a registry and the credentials for it. Users with other credentials may see other packages. */
  identityOf(place: RegistryEndpoint): string;
  /** @throws RegistryError */
  json(question: RegistryQuery): Promise<unknown>;
  /** @throws RegistryError, also if the checksum of the bytes differs from the published one */
  tarball(question: RegistryQuery & { readonly integrity: string }): Promise<Buffer>;
}

export interface RegistriesOptions {
  readonly npm: NpmDeps;
  /** Default: responses are not cached. */
  readonly cacheFolder?: string;
}

/** Opens the registries of the user's npm, with its credentials, proxies and certificates. */
export async function openRegistries({ npm, cacheFolder }: RegistriesOptions): Promise<Registries> {
  const [{ readNpmSettings }, { getJson, getTarball }, { readSecret }] = await Promise.all([
    import('../npm/settings.js'),
    import('../npm/registry.js'),
    import('./registry-secret.js'),
  ]);
  const settings = await readNpmSettings(npm);
  const secret = await readSecret(cacheFolder);
  const identityOf = (place: RegistryEndpoint) => identity(place, { settings, secret });
  // Separate cache for each registry and credentials.
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

/** Longest wait for data, in milliseconds. Short, since other registries are also searched. */
const timeoutMs = 10_000;

interface RegistryCredentials {
  readonly settings: NpmSettings;
  readonly secret: string;
}

/** Hash of a registry and the credentials for it. Cannot be guessed without the secret. */
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

/** Registry of a package, by the scope of its name. */
export function registryFor(name: string, { places }: Pick<Registries, 'places'>): RegistryEndpoint {
  const [scope] = name.startsWith('@') ? name.split('/') : [];
  return places.find((place) => scope !== undefined && place.scope === scope) ?? places[0];
}
