import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../base/value-checks.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import type { Extension } from '../../extension/extension.js';
import { isInstalledFile } from '../../extension/upstream-endpoint.js';
import { listPackedFiles } from '../packed-files.js';
import type { ItemSnapshot } from './items.js';
import type { ModuleReader } from './modules.js';
import type { SkillSnapshot } from './skills.js';

/** The package as npm would publish it. */
export interface PackagingSnapshot {
  /** True if npm refuses to publish the package. */
  readonly isPrivate: boolean;
  readonly keywords: readonly unknown[];
  /** True if package.json has a `files` list. */
  readonly hasFilesList: boolean;
  /** Files that the extension needs and npm would leave out. */
  readonly unpacked: readonly PackagedFile[];
  /** Packages that shipped modules import and that npm does not install with this one. */
  readonly uninstalled: readonly NeededPackage[];
}

/** A package that a module needs to load. */
interface NeededPackage {
  readonly name: string;
  /** The importing module. */
  readonly file: string;
  readonly item?: ItemRef;
}

/** A file of the package that an item needs. */
interface PackagedFile {
  readonly file: string;
  /** The dependent, as messages name it. */
  readonly what: string;
  readonly location: Location;
  readonly item?: ItemRef;
  /** True for a file of a dependency that npm installed in this package's folder. */
  readonly isInstalled?: true;
}

/** Lists the files that npm would ship; undefined for a private package. Slow, so callers start it early. */
export async function listShipped({ manifest }: Extension): Promise<ReadonlySet<string> | undefined> {
  const value = manifest.packageJson.value as Readonly<Record<string, unknown>>;
  return value.private === true ? undefined : await listPackedFiles(manifest.directory, value);
}

/** Checks the package that npm would publish. Runs no build scripts. */
export async function gatherPackaging(needs: PackagingInput): Promise<PackagingSnapshot> {
  const { packageJson } = needs.extension.manifest;
  const value = packageJson.value as Readonly<Record<string, unknown>>;
  const isPrivate = value.private === true;
  const shipped = await needs.shipped;
  return {
    isPrivate,
    keywords: Array.isArray(value.keywords) ? value.keywords : [],
    hasFilesList: Array.isArray(value.files),
    unpacked: shipped ? await findUnpacked(shipped, needs) : [],
    uninstalled: isPrivate ? [] : await findUninstalled(needs),
  };
}

interface PackagingInput {
  readonly shipped: Promise<ReadonlySet<string> | undefined>;
  readonly extension: Extension;
  readonly items: readonly ItemSnapshot[];
  readonly skills: readonly SkillSnapshot[];
  readonly modules: ModuleReader;
}

async function findUnpacked(
  packed: ReadonlySet<string>,
  needs: PackagingInput,
): Promise<readonly PackagedFile[]> {
  const found = new Map<string, PackagedFile>();
  const bundled = bundledIn(needs.extension.manifest.packageJson.value as Readonly<Record<string, unknown>>);
  for await (const needed of neededFiles(needs)) {
    if (needed.isInstalled && bundled.some((name) => needed.file.startsWith(`node_modules/${name}/`)))
      continue;
    if (packed.has(needed.file) || found.has(needed.file)) continue;
    if (await isFile(path.join(needs.extension.manifest.directory, needed.file)))
      found.set(needed.file, needed);
  }
  const ofSkills = needs.skills.flatMap((skill) => unpackedSkillFiles(skill, packed));
  return [...found.values(), ...ofSkills];
}

/** Reports a skill folder that is left out once, not for each file. */
function unpackedSkillFiles(
  { name, files }: SkillSnapshot,
  packed: ReadonlySet<string>,
): readonly PackagedFile[] {
  const lost = files.filter((file) => !packed.has(file));
  const told = lost[0] === files[0] ? lost.slice(0, 1) : lost;
  const what = `A file of skill "${name}"`;
  return told.map((file) => ({ file, what, location: { file }, item: { kind: 'skill', name } }));
}

/** The keys of package.json with packages that npm installs beside this one. */
const dependencyKeys = ['dependencies', 'peerDependencies', 'optionalDependencies'];

/** The packages that npm ships within this one. */
function bundledIn(value: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { bundleDependencies: bundled = value.bundledDependencies } = value;
  return Array.isArray(bundled) ? bundled : [];
}

async function findUninstalled(needs: PackagingInput): Promise<readonly NeededPackage[]> {
  const { packageJson, packageName } = needs.extension.manifest;
  const value = packageJson.value as Readonly<Record<string, unknown>>;
  const installed = new Set([
    packageName,
    // The program that runs an extension supplies it.
    'agenttools',
    ...dependencyKeys.flatMap((key) => (isRecord(value[key]) ? Object.keys(value[key]) : [])),
    ...bundledIn(value),
  ]);
  const found = new Map<string, NeededPackage>();
  for await (const { file, item, isInstalled } of neededFiles(needs)) {
    if (isInstalled) continue;
    for (const name of (await needs.modules.read(file))?.packages ?? []) {
      if (!installed.has(name) && !found.has(name)) found.set(name, { name, file, ...(item && { item }) });
    }
  }
  return [...found.values()];
}

/** True if the file exists. Other rules report missing files. */
async function isFile(target: string): Promise<boolean> {
  const info = await stat(target).catch(() => undefined);
  return info?.isFile() ?? false;
}

async function* neededFiles({ extension, items, modules }: PackagingInput): AsyncGenerator<PackagedFile> {
  const { document } = extension.manifest;
  yield { file: document.file, what: 'The manifest', location: { file: document.file } };
  for (const {
    name,
    ref,
    declaration,
    definition,
    source,
    error,
    callables,
    upstreams = [],
    content,
  } of items) {
    const what = `${ref.kind} "${name}"`;
    const own = error?.code === 'path-outside-package' ? undefined : source?.file;
    if (own !== undefined) yield* withImports(own, { what: `The definition of ${what}`, item: ref }, modules);
    if (definition && definition.file.file !== own) {
      const { file } = definition.file;
      if (declaration) yield { file, what: `The metadata of ${what}`, location: { file }, item: ref };
    }
    if (definition?.derived) {
      const { file } = definition.derived;
      yield { file, what: `The derived file of ${what}`, location: { file }, item: ref };
    }
    for (const { file, label, location } of callables) {
      if (file === undefined) continue;
      yield* withImports(
        file,
        { what: `The module that "${label}" of ${what} names`, item: ref, location },
        modules,
      );
    }
    for (const { file, location } of upstreams) {
      if (file === undefined) continue;
      const need = { what: `The program of ${what}`, item: ref, location };
      if (isInstalledFile(file)) yield { file, ...need, isInstalled: true };
      else yield* withImports(file, need, modules);
    }
    if (content && !content.fault) {
      yield { file: content.file, what: `The content of ${what}`, location: content.location, item: ref };
    }
  }
}

async function* withImports(
  file: string,
  need: { readonly what: string; readonly item: ItemRef; readonly location?: Location },
  modules: ModuleReader,
): AsyncGenerator<PackagedFile> {
  const { what, item, location = { file } } = need;
  for (const one of await modules.closure(file)) {
    yield { file: one, what: one === file ? what : `A module that ${file} imports`, location, item };
  }
}

/** True if the package can be published. Packaging rules skip private packages. */
export function isPublished(packaging: PackagingSnapshot | undefined): packaging is PackagingSnapshot {
  return isRecord(packaging) && !packaging.isPrivate;
}
