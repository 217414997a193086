import { createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import { parseUrl } from '../base/parse-url.js';
import { parseJsonOrUndefined } from '../base/text-codecs.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { NpmDeps } from './npm-dependencies.js';
import { getJson, RegistryError } from './registry.js';
import { type NpmSettings, readNpmSettings } from './settings.js';

/** A package that npm has installed from a registry. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Checksum of the lockfile, which npm has verified. */
  readonly integrity: string;
  /** URL of its tarball. */
  readonly resolved: string;
}

/** `unsigned`: the registry publishes no keys, or no signature of the package. */
export type SignatureState = 'verified' | 'unsigned';

/** Proofs of the origin of a package. */
interface OriginProof {
  readonly signature?: SignatureState | null;
  readonly provenance?: { readonly repository: string } | null | undefined;
}

/** Sentences about proofs of a version that another version does not have, or that name another repository. */
export function weakerOrigin(before: OriginProof, after: OriginProof): readonly string[] {
  const isStripped = before.signature === 'verified' && after.signature !== 'verified';
  const signed = isStripped ? ['It has no signature. The version before had a verified one.'] : [];
  const [old, now] = [before.provenance?.repository, after.provenance?.repository];
  if (old === undefined || old === now) return signed;
  const built =
    now === undefined
      ? `It has no verified provenance. Before, it was built from ${old}.`
      : `It was built from ${now}, and before from ${old}.`;
  return [...signed, built];
}

/** The packages that npm has installed into a folder from registries, by its lockfile. */
export async function installedPackages(folder: string): Promise<readonly InstalledPackage[]> {
  const text = await readFile(path.join(folder, 'package-lock.json'), 'utf8');
  const packages = parseJsonOrUndefined(text);
  const found = Object.entries(isRecord(packages) && isRecord(packages.packages) ? packages.packages : {});
  return found.flatMap(([place, entry]): InstalledPackage[] => {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
    if (name === undefined || !isRecord(entry) || !/^https?:/.test(String(entry.resolved))) return [];
    const { name: alias = name, version, integrity } = entry;
    if (!isString(alias) || !isString(version) || !isString(integrity)) return [];
    return [{ name: alias, version, integrity, resolved: String(entry.resolved) }];
  });
}

/**
 * Checks the signatures of all packages that npm has installed into a folder from registries.
 * @throws AgentToolsError as {@link checkSignatures}
 */
export async function checkInstalled(
  folder: string,
  { npm, signal }: { readonly npm: NpmDeps; readonly signal?: AbortSignal | undefined },
): Promise<ReadonlyMap<string, SignatureState>> {
  const fromRegistries = await installedPackages(folder);
  if (fromRegistries.length === 0) return new Map();
  return await checkSignatures(fromRegistries, { settings: await readNpmSettings(npm), signal });
}

interface SignatureRequest {
  readonly settings: NpmSettings;
  readonly signal?: AbortSignal | undefined;
}

/** A public key of a registry. */
interface RegistryKey {
  readonly keyid: string;
  /** SPKI in Base64. */
  readonly key: string;
  /** ISO 8601; null: it does not expire. */
  readonly expires: string | null;
}

/** Largest answer of a registry, in bytes. */
const maxBytes = 64 * 1024 * 1024;

/** Requests at a time. */
const maxAtOnce = 8;

/**
 * Checks the signatures of a registry over name, version and checksum of packages. Asks a registry without keys for nothing
 * else. Returns the states by package, as `name@version`.
 * @throws AgentToolsError `refused` for an invalid signature
 * @see https://docs.npmjs.com/about-registry-signatures
 */
async function checkSignatures(
  packages: readonly InstalledPackage[],
  { settings, signal }: SignatureRequest,
): Promise<ReadonlyMap<string, SignatureState>> {
  const keys = new Map<string, Promise<readonly RegistryKey[]>>();
  const states = new Map<string, SignatureState>();
  await forEachLimited(packages, maxAtOnce, async (one) => {
    const registry = registryOf(one.name, settings);
    const request = { settings, registry, maxBytes, signal };
    const published = keys.get(registry) ?? readKeys(request);
    keys.set(registry, published);
    states.set(`${one.name}@${one.version}`, await checkPackage(one, await published, request));
  });
  return states;
}

/** The registry of a scope, else the default one. */
export function registryOf(name: string, { registries }: NpmSettings): string {
  const [scope] = name.split('/');
  return (registries.find((one) => one.scope === scope) ?? registries[0]).url;
}

type KeyRequest = Parameters<typeof getJson>[1] & { readonly registry: string };

/** Registries that sign nothing have no such path. */
async function readKeys(request: KeyRequest): Promise<readonly RegistryKey[]> {
  const answer = await getJson('/-/npm/v1/keys', request).catch((error: unknown) => {
    if (error instanceof RegistryError && error.fault !== 'offline') return undefined;
    throw asFailure(error);
  });
  const keys = isRecord(answer) && Array.isArray(answer.keys) ? answer.keys : [];
  return keys.flatMap((one) => {
    if (!isRecord(one) || !isString(one.keyid) || !isString(one.key)) return [];
    return [{ keyid: one.keyid, key: one.key, expires: isString(one.expires) ? one.expires : null }];
  });
}

async function checkPackage(
  one: InstalledPackage,
  keys: readonly RegistryKey[],
  request: KeyRequest,
): Promise<SignatureState> {
  if (keys.length === 0) return 'unsigned';
  const label = `${one.name}@${one.version}`;
  const at = `/${one.name.replace('/', '%2f')}`;
  const published = await getRecord(`${at}/${one.version}`, request);
  const dist = isRecord(published.dist) ? published.dist : {};
  const signatures = Array.isArray(dist.signatures) ? dist.signatures.filter(isRecord) : [];
  if (signatures.length === 0 || !isFromRegistry(one, dist.tarball)) return 'unsigned';
  for (const { keyid, sig } of signatures) {
    const key = keys.find((other) => other.keyid === keyid);
    if (!key) throw invalid(label, `its registry does not publish the key ${String(keyid)}`, request);
    if (key.expires !== null && isExpired(key.expires, (await getRecord(at, request)).time, one))
      throw invalid(label, `the key ${key.keyid} had expired when it was published`, request);
    // The checksum of the installed files counts, not the one that the registry states now.
    if (!isString(sig) || !isSignedBy(key, `${label}:${one.integrity}`, sig))
      throw invalid(label, 'its signature is not of these files', request);
  }
  return 'verified';
}

/** False for a package from another URL. npm replaces the host of a tarball by the host of the registry. */
function isFromRegistry({ resolved }: InstalledPackage, tarball: unknown): boolean {
  return isString(tarball) && parseUrl(tarball)?.pathname === parseUrl(resolved)?.pathname;
}

async function getRecord(at: string, request: KeyRequest): Promise<Readonly<Record<string, unknown>>> {
  const answer = await getJson(at, request).catch((error: unknown) => {
    // A package may come from a URL that is not in the registry.
    if (error instanceof RegistryError && error.fault === 'not-found') return {};
    throw asFailure(error);
  });
  return isRecord(answer) ? answer : {};
}

/** A key is valid for versions that were published before it expired. */
function isExpired(expires: string, times: unknown, { version }: InstalledPackage): boolean {
  const time = isRecord(times) && isString(times[version]) ? Date.parse(times[version]) : Number.NaN;
  return !(time < Date.parse(expires));
}

/** ECDSA on P-256 with SHA-256. */
function isSignedBy({ key }: RegistryKey, text: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    return verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

function invalid(label: string, reason: string, { registry }: KeyRequest): AgentToolsError {
  const { host } = new URL(registry);
  const message = `${label} has an invalid signature: ${reason}. Nothing was installed. The package at ${host} may have been changed on its way; report it to its registry.`;
  return new AgentToolsError('refused', message);
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof RegistryError)) return error;
  return new AgentToolsError('failed', `The signatures of packages cannot be checked. ${error.message}`, {
    cause: error,
  });
}
