import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { guardRead, guardWrite } from '../base/file-fault.js';
import { isRecord } from '../base/value-checks.js';
import { Extension } from '../extension/extension.js';
import { kinds } from '../extension/item-kinds.js';
import { listFaults, ManifestError } from '../extension/manifest.js';
import { isPackageName, isPublishedName } from '../extension/names.js';
import { NpmError } from '../npm/npm-error.js';
import type { PackageSpec } from '../npm/package-spec.js';
import { checkOrigin } from '../npm/provenance.js';
import { runNpm } from '../npm/run-npm.js';
import { checkInstalled } from '../npm/signatures.js';
import type { TextFinding } from '../text-checks/text-findings.js';
import { itemLabel } from './compare-states.js';
import { readDependencies } from './dependencies.js';
import { fingerprintExtension } from './fingerprint.js';
import { readItems } from './items.js';
import { findPackageTexts } from './package-findings.js';
import { type PackageRecord, writeRecord } from './package-record.js';
import type { PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';

/** An extension that npm has installed outside the store, for inspection. */
export interface StagedPackage {
  readonly installation: string;
  readonly extension: Extension;
  readonly record: PackageRecord;
  /** Warnings for the user, one sentence each. */
  readonly warnings: readonly string[];
  /** Faults of its texts that models read. Definitions in code are not checked. */
  readonly findings: readonly TextFinding[];
}

/** Save the exact version, copy folders as npm would pack them, and omit development dependencies. */
const flags = [
  '--save',
  '--save-exact',
  '--install-links',
  '--omit=dev',
  '--no-engine-strict',
  '--no-omit-lockfile-registry-resolved',
] as const;

/**
 * Installs a package with npm into a new folder, with dependencies and without running code, and inspects it.
 * The package is inactive: it must be put into the store or removed.
 * @throws AgentToolsError if npm fails, or the package is not an extension; the folder is then removed.
 */
export async function stage(
  spec: PackageSpec,
  shelf: PackageStore,
  setting: PackagesDeps,
): Promise<StagedPackage> {
  requirePublishedName(spec);
  const installation = await shelf.makeInstallation();
  try {
    return await stageIn(installation, spec, setting);
  } catch (error) {
    await removeStaged({ installation });
    throw error;
  }
}

async function stageIn(
  installation: string,
  spec: PackageSpec,
  { npm, packagesFolder, requireProvenance = false, signal, now }: PackagesDeps,
): Promise<StagedPackage> {
  const packageJson = path.join(installation, 'package.json');
  await guardWrite(packageJson, () => writeFile(packageJson, '{ "private": true }\n'));
  await runNpm(['install', ...flags, '--', formatNpmSpec(spec)], {
    folder: installation,
    setting: npm,
    signal,
  }).catch(async (error: unknown) => {
    throw (await findLostDependency(spec, error)) ?? error;
  });
  const name = await readInstalledName(installation);
  const signatures = await checkInstalled(installation, { npm, signal });
  const dataFolder = path.resolve(packagesFolder, '../..');
  const origin = await checkOrigin(name, installation, { npm, dataFolder, requireProvenance, signal });
  const extension = await openExtension(path.join(installation, 'node_modules', name));
  const { version, ...download } = await readLockEntry(name, installation);
  requireSameName(extension, { name, version });
  const record: PackageRecord = {
    format: 1,
    name,
    wanted: { kind: spec.kind, wanted: spec.wanted },
    version: extension.manifest.packageVersion,
    ...download,
    signature: signatures.get(`${name}@${extension.manifest.packageVersion}`) ?? null,
    publisher: origin?.publisher ?? null,
    provenance: origin?.provenance ?? null,
    fingerprint: await fingerprintExtension(extension),
    dependencies: await readDependencies(name, installation),
    time: now().toISOString(),
  };
  await guardWrite(installation, () => writeRecord(installation, record));
  const unchecked = origin?.unchecked === undefined ? [] : [origin.unchecked];
  const warnings = [...unchecked, ...(await warningsAbout(extension))];
  return { installation, extension, record, warnings, findings: await findPackageTexts(extension) };
}

/** Relative paths in a package.json are resolved from the installed package, so their targets are missing. */
async function findLostDependency(spec: PackageSpec, cause: unknown): Promise<AgentToolsError | undefined> {
  if (!(cause instanceof NpmError) || cause.npmCode !== 'ENOENT' || spec.kind !== 'folder') return undefined;
  const { name, dependencies, optionalDependencies } = await jsonIn(spec.wanted, 'package.json').catch(
    (): Record<string, unknown> => ({}),
  );
  const wanted = [dependencies, optionalDependencies].flatMap((one) =>
    Object.entries(isRecord(one) ? one : {}),
  );
  const [lost] = wanted.filter(
    ([, range]) => typeof range === 'string' && /^(?:file:)?\.{1,2}\//.test(range),
  );
  if (!lost) return undefined;
  const message = `${name} depends on ${lost[0]} by the path ${lost[1]}, which does not resolve from the installed package. Give an absolute path (file:/…), or a version of ${lost[0]} that a registry has.`;
  return new AgentToolsError('failed', message, { cause });
}

/** Removes a staged installation. Has no effect after it was put into the store. */
export async function removeStaged({ installation }: Pick<StagedPackage, 'installation'>): Promise<void> {
  await rm(installation, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}

/** Manifests also name packages. npm must not receive invalid names. */
function requirePublishedName({ kind, name }: PackageSpec): void {
  if (kind !== 'registry' || isPublishedName(name)) return;
  throw new AgentToolsError('refused', `"${name}" is not a name that a package in a registry can have.`);
}

/** Spec in the syntax of npm's command line. */
export function formatNpmSpec({ kind, name, wanted }: PackageSpec): string {
  return kind === 'registry' ? `${name}@${wanted}` : wanted;
}

/** Name of the installed package, as recorded by npm. For a folder or tarball it was unknown before. */
async function readInstalledName(installation: string): Promise<string> {
  const { dependencies } = await jsonIn(installation, 'package.json');
  const [name] = isRecord(dependencies) ? Object.keys(dependencies) : [];
  if (name !== undefined && isPackageName(name)) return name;
  throw new AgentToolsError('failed', 'npm did not install a package with a name.');
}

interface LockEntry extends Pick<PackageRecord, 'integrity' | 'source'> {
  readonly version: unknown;
}

/** Reads the lockfile entry of a package. */
async function readLockEntry(name: string, installation: string): Promise<LockEntry> {
  const { packages } = await jsonIn(installation, 'package-lock.json');
  const entry = isRecord(packages) ? packages[`node_modules/${name}`] : undefined;
  const { version, integrity, resolved } = isRecord(entry) ? entry : {};
  return {
    version,
    integrity: typeof integrity === 'string' ? integrity : null,
    source: typeof resolved === 'string' && /^https?:/.test(resolved) ? new URL(resolved).origin : null,
  };
}

/** Registries do not inspect published files, so a package can declare the name of another one. */
function requireSameName(
  { manifest: { packageName, packageVersion } }: Extension,
  { name, version }: { readonly name: string; readonly version: unknown },
): void {
  const isSameVersion =
    typeof version !== 'string' || normalizeVersion(version) === normalizeVersion(packageVersion);
  if (packageName === name && isSameVersion) return;
  const message = `${name} ${version} calls itself ${packageName} ${packageVersion} in its package.json. Do not trust it; report it to its publisher.`;
  throw new AgentToolsError('refused', message);
}

/** Normalises a version as registries do: without a `v` before it and build metadata after `+`. */
function normalizeVersion(version: string): string {
  return version.replace(/^[v=\s]+|\+.*$|\s+$/g, '');
}

async function jsonIn(folder: string, file: string): Promise<Record<string, unknown>> {
  const target = path.join(folder, file);
  const value = JSON.parse(await guardRead(target, () => readFile(target, 'utf8'))) as unknown;
  return isRecord(value) ? value : {};
}

/** Rewrites the message without the folder, which is removed before the message is read. */
async function openExtension(directory: string): Promise<Extension> {
  try {
    return await Extension.open(directory);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    const { file, position } = error.location;
    const place = position ? ` (${file}:${position.line}:${position.column})` : '';
    throw new AgentToolsError(error.code, `${error.text}${place}`);
  }
}

async function warningsAbout(extension: Extension): Promise<readonly string[]> {
  const items = await readItems(extension, kinds);
  const lost = items.flatMap(({ problem, ...item }) =>
    problem === undefined ? [] : [`${extension.name} skips its ${itemLabel(item)}: ${problem}`],
  );
  const faults = listFaults(extension.manifest).map((fault) => `${extension.name}: ${fault}`);
  const isBare = items.length === 0 && !extension.manifest.hasOnlySkills;
  const nothing = isBare ? [`${extension.name} declares no items to serve.`] : [];
  return [...faults, ...nothing, ...lost];
}
