import { isLoopback } from '../base/loopback.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { RegistryError } from '../npm/registry.js';
import { NoVersionsError } from './package-index.js';
import type { NpmLookup } from './resolve-npm.js';

interface ImageParts {
  /** Host of the registry, with its port; undefined: docker's own. */
  readonly host: string | undefined;
  /** Path in the registry. */
  readonly path: string;
  readonly tag: string | undefined;
  readonly isDigest: boolean;
}

function readImageParts(image: string): ImageParts {
  const [plain = '', digest] = image.split('@');
  const [, name = plain, tag] = /^(.*?)(?::([^/:]+))?$/.exec(plain) ?? [];
  const [first = '', ...rest] = name.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return {
    host: isHost ? first : undefined,
    path: isHost ? rest.join('/') : name,
    tag,
    isDigest: digest !== undefined,
  };
}

/** Tag of an image as its version; null for a digest, `latest` and no tag. */
export function imageVersion(image: string): string | null {
  const { tag, isDigest } = readImageParts(image);
  return isDigest || tag === undefined || tag === 'latest' ? null : tag;
}

const maxBytes = 5 * 1024 * 1024;

/**
 * The newest tag of an image that is written like its own: `2.1-alpine` for `1.9-alpine`. Asks the registry that the image
 * names, without credentials.
 * @throws NoVersionsError if the image names no registry or no version; AgentToolsError if the registry cannot be asked
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#listing-tags
 */
export async function newestImageTag(image: string, { npm, signal }: NpmLookup): Promise<string> {
  const { host, path, tag = '' } = readImageParts(image);
  const present = readTag(tag);
  if (!present)
    throw new NoVersionsError(
      'not-found',
      `Its tag is no version, so docker chooses the image. Get the newest one with: docker pull ${image}`,
    );
  if (host === undefined) {
    const message = `The image names no registry, so its tags are not known. See them at the registry of docker.`;
    throw new NoVersionsError('not-found', message);
  }
  const [{ readNpmSettings }, { getJson, RegistryError }] = await Promise.all([
    import('../npm/settings.js'),
    import('../npm/registry.js'),
  ]);
  const settings = await readNpmSettings(npm);
  const registry = `${isLoopback(host.replace(/:\d+$/, '')) ? 'http' : 'https'}://${host}`;
  const list = async (token?: string) =>
    await getJson(`/v2/${path}/tags/list`, {
      settings:
        token === undefined
          ? settings
          : { ...settings, options: { ...settings.options, forceAuth: { token } } },
      registry,
      query: { n: 1000 },
      maxBytes,
      signal,
    });
  const answer = await list()
    .catch(async (error: unknown) => {
      const challenge = error instanceof RegistryError ? readChallenge(error) : undefined;
      if (!challenge) throw error;
      const { realm, ...query } = challenge;
      const found = await getJson(realm, { settings, query, maxBytes, signal });
      const token = isRecord(found) ? (found.token ?? found.access_token) : undefined;
      return await list(isString(token) ? token : '');
    })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof RegistryError)) throw error;
      throw new NoVersionsError('failed', `The tags of ${image} cannot be looked up: ${error.message}`, {
        cause: error,
      });
    });
  const tags = isRecord(answer) && Array.isArray(answer.tags) ? answer.tags.filter(isString) : [];
  const similar = tags.flatMap((one) => readTag(one) ?? []).filter((one) => one.shape === present.shape);
  return [...similar, present].reduce((best, one) => (isNewer(one.numbers, best.numbers) ? one : best)).text;
}

interface VersionTag {
  readonly text: string;
  readonly numbers: readonly number[];
  /** The tag without its numbers: `v#.#.#-alpine`. */
  readonly shape: string;
}

/** Undefined for a tag without a version. */
function readTag(text: string): VersionTag | undefined {
  const [, prefix, version, suffix] =
    /^(v?)(\d{1,9}(?:\.\d{1,9}){0,4})((?:-[a-z][a-z-]*)?)$/i.exec(text) ?? [];
  if (version === undefined) return undefined;
  const numbers = version.split('.').map(Number);
  return { text, numbers, shape: `${prefix}${numbers.map(() => '#').join('.')}${suffix}` };
}

function isNewer(one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((number, place) => number !== other[place]);
  return index !== -1 && one[index]! > other[index]!;
}

/** Place that gives tokens without a sign-in, as status 401 names it. */
function readChallenge({
  cause,
}: RegistryError): { readonly realm: string; readonly [name: string]: string } | undefined {
  const { statusCode, headers } = (cause ?? {}) as {
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, unknown>>;
  };
  const text = [headers?.['www-authenticate']].flat().find((one) => isString(one) && /^Bearer /i.test(one));
  if (statusCode !== 401 || !isString(text)) return undefined;
  const { realm, service, scope } = Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
  if (realm === undefined || !/^https:|^http:\/\/(?:127\.0\.0\.1|localhost)[:/]/.test(realm))
    return undefined;
  return { realm, ...(service !== undefined && { service }), ...(scope !== undefined && { scope }) };
}
