import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isInside, pathFault } from '../../base/files/path-containment.js';
import { isRecord } from '../../base/value-checks.js';
import type { DefinitionFile } from '../../extension/definition-files.js';
import type { Location } from '../../extension/diagnostics.js';
import type { Extension } from '../../extension/extension.js';
import { kinds } from '../../extension/item-kinds.js';
import { locateInManifest, type Manifest } from '../../extension/manifest.js';
import { findMisplacedFolder, type MisplacedFolder } from '../../extension/misplaced-folder.js';
import { findToolkit, readTools } from '../../extension/toolkits.js';
import { unreachableMarks } from './derivation.js';
import type { FileSnapshot } from './file-snapshot.js';
import type { ModuleReader } from './modules.js';

/** A folder that the manifest names, or its default. */
export interface RootSnapshot {
  /** Relative to the package. */
  readonly root: string;
  readonly location: Location;
  /** Definitions under another name, if the folder is missing. */
  readonly misplaced?: MisplacedFolder;
  readonly fault: 'missing' | 'no-folder' | 'outside' | undefined;
}

/** The folder with the definition files. */
export async function gatherRoot({ manifest }: Extension): Promise<RootSnapshot> {
  const checked = await checkFolder(manifest, 'root', manifest.root);
  const found = kinds.map((kind) => findMisplacedFolder(manifest, kind)).find((one) => one !== undefined);
  return { ...checked, ...(checked.fault === 'missing' && found && { misplaced: found }) };
}

/** The folder that `skills` of the manifest names; undefined without that key. */
export async function gatherSkillsRoot({ manifest }: Extension): Promise<RootSnapshot | undefined> {
  const { skills } = manifest.translation.value;
  return typeof skills === 'string'
    ? await checkFolder(manifest, 'skills', manifest.skillsFolder)
    : undefined;
}

/** Checks a folder that a key of the manifest names. */
async function checkFolder(manifest: Manifest, key: string, root: string): Promise<RootSnapshot> {
  const { directory } = manifest;
  const location = locateInManifest(manifest, [key]);
  const target = path.join(directory, root);
  if (pathFault(root)) return { root, location, fault: 'outside' };
  const info = await stat(target).catch(() => undefined);
  if (!info) return { root, location, fault: 'missing' };
  if (!(await isInside(directory, target))) return { root, location, fault: 'outside' };
  return { root, location, fault: info.isDirectory() ? undefined : 'no-folder' };
}

/** Finds definition files that are duplicates, unreachable or shadowed. */
export async function gatherFiles(extension: Extension, modules: ModuleReader): Promise<FileSnapshot> {
  const files = await extension.files();
  const toolkits = extension.manifest.toolkits.map(({ name }) => name);
  const duplicates: FileSnapshot['duplicates'][number][] = [];
  const undeclared: FileSnapshot['undeclared'][number][] = [];
  const shadowed: FileSnapshot['shadowed'][number][] = [];
  for (const kind of kinds) {
    const own = new Map<string, string>();
    for (const item of files.items(kind)) {
      const candidates = files.find(kind, item).filter(({ combined }) => !combined);
      const counting = candidates[0]!.file;
      own.set(item, counting);
      if (candidates.length > 1) duplicates.push({ kind, item, files: candidates.map(({ file }) => file) });
      const isToolkit = kind === 'tools' && toolkits.includes(item);
      if (isToolkit || extension.isDeclared(kind, item)) continue;
      undeclared.push({ kind, item, location: { file: counting } });
    }
    const combined = files.combined(kind);
    if (combined.length > 1) duplicates.push({ kind, files: combined.map(({ file }) => file) });
    for (const [item, location] of await listFileEntries(combined[0], extension, modules)) {
      const file = own.get(item);
      if (file !== undefined) shadowed.push({ kind, item, location, file });
      else if (!extension.isDeclared(kind, item)) undeclared.push({ kind, item, location });
    }
  }
  undeclared.push(...(await unreachableMarks(extension)));
  return { duplicates, undeclared, shadowed };
}

async function listFileEntries(
  file: DefinitionFile | undefined,
  extension: Extension,
  modules: ModuleReader,
): Promise<readonly (readonly [item: string, Location])[]> {
  if (!file) return [];
  const isData = file.language === 'data';
  const whole = await readCombinedFile(file, extension, modules);
  const content = findToolkit(whole);
  if (content) {
    return readTools(content).tools.map(({ name, index }) => [
      name,
      { file: file.file, ...(isData && { path: [...content.path, index] }) },
    ]);
  }
  if (isRecord(whole)) {
    const location = (key: string): Location => ({
      file: file.file,
      ...(isData && { path: [key], key: true }),
    });
    return Object.keys(whole)
      .filter((key) => !key.startsWith('x-') && key !== '$schema')
      .map((key) => [key, location(key)]);
  }
  return [];
}

/**
 * The content of a combined file; undefined if it is unreadable, which is reported with the items that need
 * it.
 */
async function readCombinedFile(
  file: DefinitionFile,
  extension: Extension,
  modules: ModuleReader,
): Promise<unknown> {
  if (!(await isInside(extension.manifest.directory, path.join(extension.manifest.directory, file.file))))
    return undefined;
  if (file.language === 'data') return (await extension.document(file.file).catch(() => undefined))?.value;
  return (await modules.load(file.file).catch(() => undefined))?.value.value;
}
