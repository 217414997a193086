import { createRequire } from 'node:module';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { parseUrl } from '../base/parse-url.js';
import { parseJsonOrUndefined } from '../base/text-codecs.js';
import { isRecord, isString } from '../base/value-checks.js';
import { readBuildCertificate } from './certificate-values.js';
import { findNpmFolder } from './find-npm.js';
import type { NpmDeps } from './npm-dependencies.js';
import { getJson, RegistryError } from './registry.js';
import { readNpmSettings } from './settings.js';
import { type InstalledPackage, installedPackages, registryOf } from './signatures.js';

/** The build of a package, as the certificate of its attestation states it. */
export interface Provenance {
  /** URL of the repository. */
  readonly repository: string;
  /** Hash of the commit. */
  readonly commit: string;
  /** URL of the workflow that built it, with its reference. */
  readonly workflow: string;
}

/** Other programs can write to records. */
export function isProvenance(value: unknown): value is Provenance {
  return isRecord(value) && [value.repository, value.commit, value.workflow].every(isString);
}

/** Publisher and build of a package of a registry. */
export interface PackageOrigin {
  /** Publisher of the version, as the registry states; null if it states none. */
  readonly publisher: string | null;
  /** Verified provenance; null without one. */
  readonly provenance: Provenance | null;
  /** Reason why an attestation of the registry could not be checked, in a sentence. */
  readonly unchecked?: string;
}

export interface OriginRequest {
  readonly npm: NpmDeps;
  /** Data folder of AgentTools, for the keys of Sigstore. */
  readonly dataFolder: string;
  /** Refuses a package without a verified provenance. */
  readonly requireProvenance: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Largest answer of a registry, in bytes. */
const maxBytes = 16 * 1024 * 1024;

/** Predicates that state a build. The registry itself signs the other attestation, of the publication. */
const buildPredicates = ['https://slsa.dev/provenance/v1', 'https://slsa.dev/provenance/v0.2'];

/**
 * Finds the publisher of an installed package, and verifies its provenance. Undefined for a package that is not from a registry.
 * @throws AgentToolsError `refused` for an invalid provenance, or a missing one that is required
 * @see https://docs.npmjs.com/generating-provenance-statements
 */
export async function checkOrigin(
  name: string,
  folder: string,
  request: OriginRequest,
): Promise<PackageOrigin | undefined> {
  const found = (await installedPackages(folder)).find((one) => one.name === name);
  const origin = found && (await originOf(found, request));
  if (!request.requireProvenance || origin?.provenance) return origin;
  const label = found ? `${name}@${found.version}` : name;
  const reason =
    origin?.unchecked ?? `${label} has no provenance: its registry has no attestation of its build.`;
  throw new AgentToolsError('refused', `${reason} Nothing was installed, because of --require-provenance.`);
}

async function originOf(one: InstalledPackage, request: OriginRequest): Promise<PackageOrigin> {
  const settings = await readNpmSettings(request.npm);
  const { signal } = request;
  const access = { settings, registry: registryOf(one.name, settings), maxBytes, signal };
  const published = await getRecord(`/${one.name.replace('/', '%2f')}/${one.version}`, access);
  const { _npmUser: user } = published;
  const publisher = isRecord(user) && isString(user.name) ? user.name : null;
  const dist = isRecord(published.dist) ? published.dist : {};
  const { attestations } = dist;
  if (!isRecord(attestations) || !isString(attestations.url)) return { publisher, provenance: null };
  // Only the registry of the package is asked, as npm does.
  const at = parseUrl(attestations.url)?.pathname ?? '/';
  const { attestations: list } = await getRecord(new URL(at, access.registry).href, access);
  const builds = (Array.isArray(list) ? list : []).filter(
    (entry) => isRecord(entry) && buildPredicates.includes(String(entry.predicateType)),
  );
  const label = `${one.name}@${one.version}`;
  if (builds.length === 0) {
    const unchecked = `The provenance of ${label} cannot be checked: its registry does not send it.`;
    return { publisher, provenance: null, unchecked };
  }
  const sigstore = await openSigstore(request);
  if (isString(sigstore))
    return {
      publisher,
      provenance: null,
      unchecked: `The provenance of ${label} cannot be checked: ${sigstore}`,
    };
  const [provenance] = builds.map(({ bundle }) => verifyBuild(bundle, { one, label, sigstore }));
  return { publisher, provenance: provenance! };
}

/** Facts that a registry need not have. Without them, a package has no provenance. */
async function getRecord(
  at: string,
  request: Parameters<typeof getJson>[1],
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await getJson(at, request).catch((error: unknown) => {
    if (error instanceof RegistryError) return undefined;
    throw error;
  });
  return isRecord(answer) ? answer : {};
}

/** Used part of the package `sigstore`. */
interface Sigstore {
  createVerifier(options: {
    readonly tufCachePath: string;
    /** True to ask for newer keys only after the known ones expire. */
    readonly tufForceCache: boolean;
    readonly retry: { readonly retries: number };
  }): Promise<Verifier>;
}

interface Verifier {
  /** Throws for a bundle that is not signed by the trusted keys. */
  verify(bundle: unknown): unknown;
}

/** Opens the verifier of Sigstore with its trusted keys, which it renews when they expire. A text is the reason of a failure. */
async function openSigstore({ npm, dataFolder }: OriginRequest): Promise<Verifier | string> {
  const sigstore = await loadSigstore(npm);
  if (!sigstore) return 'it needs the npm package sigstore, which npm 9.5 and later contain.';
  try {
    return await sigstore.createVerifier({
      tufCachePath: path.join(dataFolder, 'sigstore'),
      tufForceCache: true,
      retry: { retries: 1 },
    });
  } catch (error) {
    return `the keys of Sigstore cannot be loaded (${(error as Error).message}).`;
  }
}

/** The package beside AgentTools, else the one of npm. Never one of a project. */
async function loadSigstore(npm: NpmDeps): Promise<Sigstore | undefined> {
  const folder = await findNpmFolder(npm);
  for (const place of [
    import.meta.url,
    ...(folder === undefined ? [] : [path.join(folder, 'package.json')]),
  ]) {
    try {
      return createRequire(place)('sigstore') as Sigstore;
    } catch {
      // The next place may have it.
    }
  }
  return undefined;
}

interface BuildCheck {
  readonly one: InstalledPackage;
  readonly label: string;
  readonly sigstore: Verifier;
}

/** @throws AgentToolsError `refused` unless the bundle is signed, and states the build of these files */
function verifyBuild(bundle: unknown, { one, label, sigstore }: BuildCheck): Provenance {
  const parts = readBundle(bundle);
  if (!parts) throw invalid(label, 'it is not a bundle of Sigstore with one certificate');
  try {
    sigstore.verify(bundle);
  } catch (error) {
    throw invalid(label, `Sigstore rejects it (${(error as Error).message})`);
  }
  if (!isAbout(one, parts.statement)) throw invalid(label, 'it is of other files');
  const { repository, commit, workflow } = readBuildCertificate(parts.certificate);
  if (repository === undefined || commit === undefined || workflow === undefined)
    throw invalid(label, 'its certificate names no repository, so it is not of a build service');
  return { repository, commit, workflow };
}

/** Keys of a bundle. With others, Sigstore could verify another certificate or text than the one that is read here. */
const bundleKeys = ['mediaType', 'verificationMaterial', 'dsseEnvelope'];
const materialKeys = ['tlogEntries', 'timestampVerificationData'];
const certificateKeys = ['certificate', 'x509CertificateChain'];

/** The certificate and the statement of a bundle; undefined if it can be read in two ways. */
function readBundle(
  bundle: unknown,
): { readonly certificate: Buffer; readonly statement: unknown } | undefined {
  if (!isRecord(bundle) || !hasOnly(bundle, bundleKeys)) return undefined;
  const { verificationMaterial: material, dsseEnvelope: envelope } = bundle;
  if (!isRecord(material) || !isRecord(envelope)) return undefined;
  const forms = certificateKeys.filter((key) => material[key] !== undefined);
  if (forms.length !== 1 || !hasOnly(material, [...materialKeys, ...forms])) return undefined;
  const { certificate = material.x509CertificateChain } = material;
  const chain =
    isRecord(certificate) && Array.isArray(certificate.certificates)
      ? certificate.certificates
      : [certificate];
  const [leaf] = chain as readonly unknown[];
  const isStatement = envelope.payloadType === 'application/vnd.in-toto+json' && isString(envelope.payload);
  if (!isRecord(leaf) || !isString(leaf.rawBytes) || !isStatement) return undefined;
  const statement = parseJsonOrUndefined(Buffer.from(String(envelope.payload), 'base64').toString('utf8'));
  return { certificate: Buffer.from(leaf.rawBytes, 'base64'), statement };
}

function hasOnly(value: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key));
}

/** True if a statement is about the files of this package: by their name, version and checksum. */
function isAbout({ name, version, integrity }: InstalledPackage, statement: unknown): boolean {
  if (!isRecord(statement) || !buildPredicates.includes(String(statement.predicateType))) return false;
  const [, checksum] = /(?:^|\s)sha512-([\w+/=]+)/.exec(integrity) ?? [];
  if (checksum === undefined || !Array.isArray(statement.subject)) return false;
  const sha512 = Buffer.from(checksum, 'base64').toString('hex');
  const url = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return statement.subject.some(
    (subject) =>
      isRecord(subject) &&
      subject.name === url &&
      isRecord(subject.digest) &&
      subject.digest.sha512 === sha512,
  );
}

function invalid(label: string, reason: string): AgentToolsError {
  const message = `${label} has an invalid provenance: ${reason}. Nothing was installed. Do not trust it; report it to its registry.`;
  return new AgentToolsError('refused', message);
}
