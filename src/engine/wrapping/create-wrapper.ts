import { cp, lstat } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { guardWrite } from '../base/file-fault.js';
import { findRealPath, statFile } from '../base/files/disk.js';
import type { ExistingDeps } from '../bridge/open-existing.js';
import { unpackBundle } from '../bundles/unpack-bundle.js';
import { choosePackageName, requireEmpty, type Scaffold, writeFiles } from '../create/scaffold.js';
import type { RemoteTransport } from '../existing-servers/existing-server.js';
import type { GivenOptions } from '../existing-servers/given-inputs.js';
import { findWrapSource } from './find-source.js';
import { type WrappedServer, wrapServer } from './wrap-server.js';
import type { WrapSource } from './wrap-source.js';
import { wrapperFiles } from './wrapper-files.js';

export interface WrapRequest {
  /** Absolute path of the new extension. */
  readonly directory: string;
  /** Name of the npm package. Default: derived from the folder. */
  readonly name: string | undefined;
  /** Reference to an existing server, a file or a plugin. */
  readonly from: string;
  readonly given: GivenOptions;
  readonly transport?: RemoteTransport | undefined;
}

/** A new extension in front of existing servers. */
export interface Wrapper extends Scaffold {
  /** Item names of its servers. */
  readonly servers: readonly string[];
  /** Variables that its servers need, without defaults. */
  readonly variables: readonly string[];
  /** True if the extension has dependencies to install. */
  readonly hasDependencies: boolean;
  /** Parts that were left out, and other statements, in sentences. */
  readonly notes: readonly string[];
}

/**
 * Writes an extension with existing servers as upstream servers. Runs and installs nothing.
 * @throws AgentToolsError if there is no such server, or the folder is not empty
 */
export async function createWrapper(
  { directory, name, from, given, transport }: WrapRequest,
  deps: ExistingDeps,
): Promise<Wrapper> {
  const packageName = choosePackageName(directory, name);
  await requireEmpty(directory);
  const source = await findWrapSource(from, deps);
  requireApart(directory, source);
  const { surroundings, cwd, node } = deps;
  const { env, home } = surroundings;
  const hasSkills = Object.keys(source.skills).length > 0;
  const wrapped: WrappedServer[] = [];
  for (const server of source.servers) {
    const item = freeName(server.name, wrapped);
    const place = { item, folders: source.folders, hasSkills };
    wrapped.push(await wrapServer(server, place, { given, transport, cwd, home, env, node }));
  }
  requireOneVersion(wrapped);
  const files = wrapperFiles({ name: packageName, source, servers: wrapped });
  await writeFiles(directory, files);
  deps.tell('Copying files');
  const copied = await copyFolders(directory, source, deps);
  const notes = [
    ...source.notes,
    ...wrapped.flatMap((one) => [...one.server.notes, ...one.notes]),
    ...copied,
  ];
  return {
    directory,
    name: packageName,
    files: [
      ...Object.keys(files),
      ...Object.keys(source.folders).map((folder) => `${folder}/`),
      ...Object.keys(source.skills).map((skill) => `skills/${skill}/`),
    ],
    servers: wrapped.map(({ item }) => item),
    variables: [
      ...new Set(
        wrapped.flatMap(({ variables }) =>
          variables.flatMap((one) => (one.fallback === undefined ? one.name : [])),
        ),
      ),
    ],
    hasDependencies: wrapped.some(({ dependency }) => dependency !== undefined),
    notes: [...new Set(notes)],
  };
}

/** A copy into a folder within itself would not end. */
function requireApart(directory: string, { folders }: WrapSource): void {
  for (const from of Object.values(folders)) {
    const between = path.relative(findRealPath(from) ?? from, directory);
    if (between !== '' && (between.startsWith('..') || path.isAbsolute(between))) continue;
    throw new AgentToolsError(
      'refused',
      `${directory} is in the folder that it is made of. Name a folder elsewhere.`,
    );
  }
}

/** An item name that no other server has. */
function freeName(name: string, taken: readonly WrappedServer[]): string {
  const legal = name.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[.-]+|[.-]+$/g, '') || 'server';
  const isTaken = (one: string) => taken.some(({ item }) => item.toLowerCase() === one.toLowerCase());
  let free = legal;
  for (let number = 2; isTaken(free); number++) free = `${legal}-${number}`;
  return free;
}

/** @throws AgentToolsError if servers need several versions of one package */
function requireOneVersion(servers: readonly WrappedServer[]): void {
  const versions = new Map<string, string>();
  for (const { dependency } of servers) {
    if (!dependency) continue;
    const other = versions.get(dependency.name) ?? dependency.version;
    versions.set(dependency.name, other);
    if (other === dependency.version) continue;
    const message = `The servers need ${dependency.name} in the versions ${other} and ${dependency.version}, and a package can have one. Choose one server, as in ./mcp.json#name`;
    throw new AgentToolsError('refused', message);
  }
}

/** Names of files that belong to a working copy, and may contain secrets. */
const unwanted = /^(?:\.git|\.DS_Store|\.env(?:\..*)?|\.npmrc)$/;

/** Copies the files of servers and skills. Returns notes. */
async function copyFolders(
  directory: string,
  { servers, folders, excluded, skills }: WrapSource,
  { signal }: ExistingDeps,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const [to, from] of Object.entries(folders)) {
    const content = servers[0]?.content;
    const target = path.join(directory, to);
    if (content?.folder === from) await unpackBundle({ ...content, folder: target }, { signal });
    else notes.push(...(await copy(from, target, excluded)));
    if (statFile(path.join(target, 'node_modules')))
      notes.push(
        `npm does not publish ${to}/node_modules. Add the packages in it to "dependencies" before you publish.`,
      );
  }
  for (const [name, from] of Object.entries(skills))
    notes.push(...(await copy(from, path.join(directory, 'skills', name), [])));
  return notes;
}

/** Copies a folder without links, which npm does not publish. Returns notes. */
async function copy(from: string, to: string, excluded: readonly string[]): Promise<readonly string[]> {
  const links: string[] = [];
  const filter = async (file: string) => {
    if (unwanted.test(path.basename(file)) || excluded.includes(file)) return false;
    if (file === from || !(await lstat(file)).isSymbolicLink()) return true;
    links.push(path.relative(from, file));
    return false;
  };
  await guardWrite(to, () => cp(from, to, { recursive: true, filter, errorOnExist: true }));
  return links.length === 0 ? [] : [`Links are not copied: ${links.join(', ')}.`];
}
