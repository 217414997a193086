import { AgentToolsError } from '../base/errors.js';
import { joinNames } from '../base/join-names.js';
import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import { shortenText, visibleMessage } from '../base/visible-text.js';
import { interpretManifest, type ManifestContent, ManifestError } from '../extension/manifest.js';
import { RegistryError, type RegistryFault } from '../npm/registry.js';
import { withoutUserinfo } from '../npm/without-userinfo.js';
import type { Publication } from './listed-server.js';
import { isListable } from './package-outline.js';
import { type Registries, registryFor } from './registries.js';
import { normalizeTime, personName, searchKeyword } from './search.js';
import { findInTarball, readFileOfTarball } from './tarball.js';

/** Registry view of an extension, in its latest version. */
export interface PublishedExtension {
  readonly name: string;
  readonly content: ManifestContent;
  readonly publication: Publication;
  /** True if the author wants the extension listed: it has the keyword and is not deprecated. */
  readonly isOffered: boolean;
}

/** A package of a registry cannot be read. */
export class PublishedError extends AgentToolsError {
  readonly fault: RegistryFault;

  constructor(fault: RegistryFault, message: string, options?: ErrorOptions) {
    super('failed', message, options);
    this.fault = fault;
  }
}

export interface PublishedRequest {
  readonly registries: Registries;
  readonly signal: AbortSignal;
  /** True to include the publication time, which takes a much larger response. */
  readonly withTime: boolean;
}

/**
 * Reads the registry data of a package; undefined if the package is not an extension.
 * @throws PublishedError
 */
export async function readPublished(
  name: string,
  { registries, signal, withTime }: PublishedRequest,
): Promise<PublishedExtension | undefined> {
  const place = registryFor(name, registries);
  try {
    const { version, time } = await fetchLatest(name, { registries, place, signal, withTime });
    if (version.name !== name) throw new RegistryError('malformed', 'the registry returned another package');
    if (version.agenttools === undefined) return undefined;
    const packageJson = { file: 'package.json', text: '', value: version };
    const content = await interpretManifest(packageJson, {
      unnamed: name,
      read: (file) => readFileOfTarball(file, { version, registries, place, signal }),
      // Skills are not inspected. Without this, a package without declarations would be rejected.
      hasSkills: async () => true,
    });
    if (!isListable(content)) throw new RegistryError('malformed', 'it declares more than can be listed');
    return {
      name,
      content,
      publication: readPublication(version, time),
      isOffered: isActiveExtension(version),
    };
  } catch (error) {
    throw publishedError(error);
  }
}

/** A file of a published version of a package. */
export interface PublishedFile {
  readonly version: string;
  /** False: the package is no extension. */
  readonly isExtension: boolean;
  /** Undefined: the version does not have the file. */
  readonly text: string | undefined;
}

/**
 * Reads one file of a published version of a package from its tarball, which stays in memory.
 * @param wanted a version or a tag
 * @throws PublishedError
 */
export async function readPublishedFile(
  name: string,
  {
    file,
    wanted,
    registries,
    signal,
  }: Omit<PublishedRequest, 'withTime'> & { readonly file: string; readonly wanted: string },
): Promise<PublishedFile> {
  const place = registryFor(name, registries);
  const request = { registries, place, signal, withTime: false };
  try {
    const { version } =
      wanted === 'latest' ? await fetchLatest(name, request) : await fromAll(name, request, wanted);
    const isExtension = version.agenttools !== undefined;
    const text = isExtension ? await findInTarball(file, { version, registries, place, signal }) : undefined;
    return { version: String(version.version), isExtension, text };
  } catch (error) {
    throw publishedError(error);
  }
}

interface LatestVersion {
  readonly version: UnknownRecord;
  readonly time: string | null;
}

interface LatestRequest {
  readonly registries: Registries;
  readonly place: ReturnType<typeof registryFor>;
  readonly signal: AbortSignal;
  readonly withTime: boolean;
}

/** One version takes a few kilobytes, all versions of a busy package take many megabytes. */
const maxVersionBytes = 5 * 1024 * 1024;
const maxPackageBytes = 10 * 1024 * 1024;

/**
 * Reads the latest version by the preferred request. Falls back to the other if the registry does not support
 * it.
 */
async function fetchLatest(name: string, request: LatestRequest): Promise<LatestVersion> {
  const [first, second] = request.withTime ? [fromAll, fromLatest] : [fromLatest, fromAll];
  try {
    return await first(name, request);
  } catch (error) {
    const isOfTheWay = error instanceof RegistryError && retriableFaults.includes(error.fault);
    if (!isOfTheWay) throw error;
    return await second(name, request).catch(() => {
      throw error;
    });
  }
}

const retriableFaults: readonly RegistryFault[] = ['not-found', 'unsupported', 'too-large', 'malformed'];

async function fromLatest(
  name: string,
  { registries, place, signal }: LatestRequest,
): Promise<LatestVersion> {
  const path = `/${encodePackageName(name)}/latest`;
  const version = await registries.json({ place, path, maxBytes: maxVersionBytes, signal });
  if (!isRecord(version)) throw new RegistryError('malformed', 'the registry returned no package');
  return { version, time: null };
}

/** `wanted`: a version or a tag. */
async function fromAll(
  name: string,
  { registries, place, signal }: LatestRequest,
  wanted = 'latest',
): Promise<LatestVersion> {
  const path = `/${encodePackageName(name)}`;
  const whole = await registries.json({ place, path, maxBytes: maxPackageBytes, signal });
  const { versions, time, 'dist-tags': tags } = isRecord(whole) ? whole : {};
  const latest = ownProperty(tags, wanted) ?? wanted;
  const version = typeof latest === 'string' ? ownProperty(versions, latest) : undefined;
  if (!isRecord(version)) {
    if (wanted === 'latest') throw new RegistryError('not-found', 'there is no latest version of it');
    const known = Object.keys(isRecord(versions) ? versions : {});
    throw new PublishedError('not-found', `its last versions are ${joinNames(known.slice(-maxNamed))}`);
  }
  if (JSON.stringify(version).length > maxVersionBytes)
    throw new RegistryError('too-large', 'it is too large');
  return { version, time: normalizeTime(ownProperty(time, latest as string)) };
}

/** Most versions in a message. */
const maxNamed = 10;

function ownProperty(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** `@acme/weather` is one segment of a path. */
function encodePackageName(name: string): string {
  return encodeURIComponent(name).replace(/^%40/, '@');
}

function readPublication(version: UnknownRecord, time: string | null): Publication {
  const { _npmUser: user, maintainers, dist } = version;
  const [first] = Array.isArray(maintainers) ? maintainers : [];
  return {
    publisher: personName(user) ?? personName(first),
    published: time,
    provenance: isRecord(ownProperty(dist, 'attestations')),
  };
}

function isActiveExtension({ keywords, deprecated }: UnknownRecord): boolean {
  const words = typeof keywords === 'string' ? keywords.split(/[\s,]+/) : keywords;
  const isDeprecated = typeof deprecated === 'string' ? deprecated !== '' : deprecated === true;
  return Array.isArray(words) && words.includes(searchKeyword) && !isDeprecated;
}

function publishedError(error: unknown): PublishedError {
  if (error instanceof PublishedError) return error;
  const said = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  const message = shortenText(visibleMessage(withoutUserinfo(said)), 300);
  if (error instanceof ManifestError) return new PublishedError('malformed', message, { cause: error });
  const fault = error instanceof RegistryError ? error.fault : 'failed';
  return new PublishedError(fault, registryFaultWords[fault] ?? message, { cause: error });
}

/** Messages about the package instead of a URL. */
const registryFaultWords: Readonly<Partial<Record<RegistryFault, string>>> = {
  offline: 'the registry cannot be reached',
  'not-found': 'the registry does not have it',
  unauthorized: 'the credentials of npm do not allow it',
  'too-large': 'it is too large to be read',
};
