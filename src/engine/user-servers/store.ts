import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { rethrowAsUserError } from '../base/file-fault.js';
import { parseDocument } from '../base/files/document.js';
import { withLock } from '../base/files/lock.js';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile, type TextFile } from '../base/files/text-file.js';
import { isRecord } from '../base/value-checks.js';
import { Extension } from '../extension/extension.js';
import { interpretManifest, readDeclaration } from '../extension/manifest.js';
import type { WorkspaceOptions } from '../extension/workspace.js';

/** Folders in which names are searched, and the folder of the user's servers. */
export type UserServerFolders = WorkspaceOptions & Required<Pick<WorkspaceOptions, 'userServersFolder'>>;

/** A file before and after a change; null: no file. */
export interface FileChange {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Initial package.json. No npm package can have a name that begins with `_`. */
const firstPackageJson = {
  name: '_user-made-servers',
  version: '1.0.0',
  private: true,
  description: 'Servers made with agenttools create-server. Edit the definitions as you like.',
  type: 'module',
  agenttools: { servers: [] },
};

/** Returns the extension that holds the user's servers. Before the first server it is empty. */
export async function readUserServers({ userServersFolder }: UserServerFolders): Promise<Extension> {
  const { text } = await readPackageJson(userServersFolder);
  if (text !== null) return await Extension.open(userServersFolder, { origin: 'user' });
  const packageJson = { file: 'package.json', text: '', value: firstPackageJson };
  const content = await interpretManifest(packageJson, {
    unnamed: firstPackageJson.name,
    // The initial manifest names no other file.
    read: async () => packageJson,
    hasSkills: async () => false,
  });
  return new Extension({ directory: userServersFolder, ...content }, { origin: 'user' });
}

/** Definition file of a server, relative to the folder of the servers. */
export function definitionFile(name: string): string {
  return `agenttools/servers/${name}.json`;
}

/**
 * Stores a server: its definition first, so that a declared server is always defined.
 * @throws AgentToolsError if the name is taken and `overwrite` is false, or a file cannot be written.
 */
export async function storeServer(
  { name, definition }: { readonly name: string; readonly definition: unknown },
  { overwrite }: { readonly overwrite: boolean },
  place: UserServerFolders,
): Promise<{ readonly file: string; readonly replaced: boolean }> {
  return await withStoreLock(place, async () => {
    const { text, names, withNames } = await readManifest(place.userServersFolder);
    requireFree(name, names, { overwrite });
    const replaced = names.includes(name);
    const file = path.join(place.userServersFolder, definitionFile(name));
    await replaceTextFile(await readTextFile(file), `${JSON.stringify(definition, undefined, 2)}\n`);
    if (!replaced) await replaceTextFile(text, withNames([...names, name]));
    await removeOthers(name, place);
    return { file, replaced };
  });
}

/** @throws AgentToolsError if a server has that name, or one that a file system may treat as the same. */
export function requireFree(
  name: string,
  names: readonly string[],
  { overwrite }: { readonly overwrite: boolean },
): void {
  if (names.includes(name) && !overwrite) {
    const message = `You already have a server "${name}". See it with: agenttools show ${name}. To replace it, add --overwrite.`;
    throw new AgentToolsError('refused', message);
  }
  // Some file systems treat `Trip` and `trip` as the same name.
  const alike = names.find((one) => one !== name && one.toLowerCase() === name.toLowerCase());
  if (alike === undefined) return;
  const message = `You have a server "${alike}", and some file systems treat "${name}" as the same name. Choose another name.`;
  throw new AgentToolsError('refused', message);
}

/** Changes by which a server is deleted: the manifest, then the files of its definition. */
export async function planServerRemoval(
  name: string,
  place: UserServerFolders,
): Promise<readonly FileChange[]> {
  return (await listFileRemovals(name, place)).map(({ before, after }) => ({
    file: before.file,
    before: before.text,
    after,
  }));
}

/** Deletes a server. @throws AgentToolsError if a file cannot be changed. */
export async function removeServer(name: string, place: UserServerFolders): Promise<void> {
  await withStoreLock(place, async () => {
    for (const { before, after } of await listFileRemovals(name, place)) await replaceTextFile(before, after);
  });
}

interface FileRemoval {
  readonly before: TextFile;
  readonly after: string | null;
}

async function listFileRemovals(name: string, place: UserServerFolders): Promise<readonly FileRemoval[]> {
  const { userServersFolder } = place;
  const { text, names, withNames } = await readManifest(userServersFolder);
  const definitions = await Promise.all(
    (await listUserDefinitionFiles(name, place)).map((file) =>
      readTextFile(path.join(userServersFolder, file)),
    ),
  );
  return [
    { before: text, after: withNames(names.filter((one) => one !== name)) },
    ...definitions.map((before) => ({ before, after: null })),
  ];
}

/** Definitions in other formats would take precedence over the stored one. */
async function removeOthers(name: string, place: UserServerFolders): Promise<void> {
  for (const file of await listUserDefinitionFiles(name, place)) {
    if (file === definitionFile(name)) continue;
    await replaceTextFile(await readTextFile(path.join(place.userServersFolder, file)), null);
  }
}

async function listUserDefinitionFiles(
  name: string,
  { userServersFolder }: UserServerFolders,
): Promise<readonly string[]> {
  const extension = await Extension.open(userServersFolder, { origin: 'user' });
  const found = (await extension.files()).find('servers', name);
  return found.filter(({ combined }) => !combined).map(({ file }) => file);
}

interface StoredManifest {
  readonly text: TextFile;
  readonly names: readonly string[];
  /** Returns package.json with these servers. All other values stay. */
  withNames(names: readonly string[]): string;
}

/** @throws AgentToolsError if package.json no longer has the form that AgentTools wrote. */
async function readManifest(folder: string): Promise<StoredManifest> {
  const text = await readPackageJson(folder);
  const value = text.text === null ? firstPackageJson : await parseManifestFile(text);
  const manifest = isRecord(value) ? value.agenttools : undefined;
  const entries = isRecord(manifest) ? (manifest.servers ?? []) : undefined;
  if (!isRecord(value) || !isRecord(manifest) || !Array.isArray(entries)) {
    const message = `${text.file} does not have the form that create-server writes: it must have a list "servers" in an object "agenttools". Fix it, or move the folder away.`;
    throw new AgentToolsError('malformed-manifest', message);
  }
  const declaredName = (entry: unknown) => readDeclaration('servers', entry, [])?.name;
  return {
    text,
    names: entries.flatMap((entry) => declaredName(entry) ?? []),
    withNames(names) {
      const kept = entries.filter((entry) => names.includes(declaredName(entry) ?? ''));
      const known = kept.map(declaredName);
      const servers = [...kept, ...names.filter((name) => !known.includes(name))];
      return `${JSON.stringify({ ...value, agenttools: { ...manifest, servers } }, undefined, 2)}\n`;
    },
  };
}

async function readPackageJson(folder: string): Promise<TextFile> {
  return await rethrowAsUserError(() => readTextFile(path.join(folder, 'package.json')));
}

async function parseManifestFile({ text, file }: TextFile): Promise<unknown> {
  return await parseDocument(text ?? '', file).catch((error: Error) => {
    throw new AgentToolsError('malformed-manifest', `${file} cannot be read: ${error.message} Fix it first.`);
  });
}

/** Runs one change of the user's servers at a time. */
async function withStoreLock<T>(
  { userServersFolder }: UserServerFolders,
  work: () => Promise<T>,
): Promise<T> {
  const lockFile = path.join(path.dirname(userServersFolder), 'locks', 'user-servers.lock');
  return await rethrowAsUserError(() => withLock(lockFile, work));
}
