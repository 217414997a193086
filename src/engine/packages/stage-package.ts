import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { guardRead, guardWrite } from '../base/file-fault.js';
import { isRecord } from '../extension/definition-shapes.js';
import { Extension } from '../extension/extension.js';
import { kinds } from '../extension/item-kinds.js';
import { listFaults, ManifestError } from '../extension/manifest.js';
import { isPackageName, isPublishedName } from '../extension/names.js';
import { NpmError } from '../npm/npm-error.js';
import type { PackageSpec } from '../npm/package-spec.js';
import { runNpm } from '../npm/run-npm.js';
import { itemLabel } from './compare-states.js';
import { readDependencies } from './dependencies.js';
import { fingerprintExtension } from './fingerprint.js';
import { readItems } from './items.js';
import { type PackageRecord, writeRecord } from './package-record.js';
import type { PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';

/** An extension that npm has installed beside the shelf, to be looked at. */
export interface StagedPackage {
  readonly installation: string;
  readonly extension: Extension;
  readonly record: PackageRecord;
  /** What is not as its users would expect, in sentences. */
  readonly warnings: readonly string[];
}

/** The version is to be kept, folders are copied as they would be packed, and what only its author needs stays away. */
const flags = [
  '--save',
  '--save-exact',
  '--install-links',
  '--omit=dev',
  '--no-engine-strict',
  '--no-omit-lockfile-registry-resolved',
] as const;

/**
 * Has npm install a package into a new folder of its own, with its dependencies and without running anything, and looks
 * at it. Nothing counts of it yet: it is to be put on the shelf, or to be removed.
 * @throws AgentToolsError if npm fails, or it is not an extension; then the folder is gone.
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
  { npm, signal, now }: PackagesDeps,
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
  const extension = await openExtension(path.join(installation, 'node_modules', name));
  const { version, ...provenance } = await readLockEntry(name, installation);
  requireSameName(extension, { name, version });
  const record: PackageRecord = {
    format: 1,
    name,
    wanted: { kind: spec.kind, wanted: spec.wanted },
    version: extension.manifest.packageVersion,
    ...provenance,
    fingerprint: await fingerprintExtension(extension),
    dependencies: await readDependencies(name, installation),
    time: now().toISOString(),
  };
  await guardWrite(installation, () => writeRecord(installation, record));
  return { installation, extension, record, warnings: await warningsAbout(extension) };
}

/** Paths in a package.json go from where npm puts the package, where what they name is not. */
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
  const message = `${name} depends on ${lost[0]} by the path ${lost[1]}, which leads nowhere from where it is added. Give an absolute path (file:/…), or a version of ${lost[0]} that a registry has.`;
  return new AgentToolsError('failed', message, { cause });
}

/** Removes what was staged. What was put on the shelf meanwhile is not there any more. */
export async function removeStaged({ installation }: Pick<StagedPackage, 'installation'>): Promise<void> {
  await rm(installation, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
}

/** Manifests name packages as well; what no package can be called is not npm's to hear. */
function requirePublishedName({ kind, name }: PackageSpec): void {
  if (kind !== 'registry' || isPublishedName(name)) return;
  throw new AgentToolsError('refused', `"${name}" is not a name that a package in a registry can have.`);
}

/** As npm's command line takes it. */
export function formatNpmSpec({ kind, name, wanted }: PackageSpec): string {
  return kind === 'registry' ? `${name}@${wanted}` : wanted;
}

/** The one package that was asked for: npm writes its name down, which a folder or tarball did not tell before. */
async function readInstalledName(installation: string): Promise<string> {
  const { dependencies } = await jsonIn(installation, 'package.json');
  const [name] = isRecord(dependencies) ? Object.keys(dependencies) : [];
  if (name !== undefined && isPackageName(name)) return name;
  throw new AgentToolsError('failed', 'npm installed nothing that has the name of a package.');
}

interface LockEntry extends Pick<PackageRecord, 'integrity' | 'source'> {
  readonly version: unknown;
}

/** What npm wrote down of a package. */
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

/** Registries do not look into what is published, so that a package can call itself by the name of another one. */
function requireSameName(
  { manifest: { packageName, packageVersion } }: Extension,
  { name, version }: { readonly name: string; readonly version: unknown },
): void {
  const isSameVersion =
    typeof version !== 'string' || normalizeVersion(version) === normalizeVersion(packageVersion);
  if (packageName === name && isSameVersion) return;
  const message = `${name} ${version} calls itself ${packageName} ${packageVersion} in its package.json. Do not trust it; tell whoever publishes it.`;
  throw new AgentToolsError('refused', message);
}

/** As registries list it, which leave out a `v` before it and what stands behind a `+`. */
function normalizeVersion(version: string): string {
  return version.replace(/^[v=\s]+|\+.*$|\s+$/g, '');
}

async function jsonIn(folder: string, file: string): Promise<Record<string, unknown>> {
  const target = path.join(folder, file);
  const value = JSON.parse(await guardRead(target, () => readFile(target, 'utf8'))) as unknown;
  return isRecord(value) ? value : {};
}

/** Says what is wrong without the folder, which is gone when this is read. */
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
    problem === undefined ? [] : [`${extension.name} goes without its ${itemLabel(item)}: ${problem}`],
  );
  const faults = listFaults(extension.manifest).map((fault) => `${extension.name}: ${fault}`);
  const isBare = items.length === 0 && !extension.manifest.hasOnlySkills;
  const nothing = isBare ? [`${extension.name} declares nothing that could be served.`] : [];
  return [...faults, ...nothing, ...lost];
}
