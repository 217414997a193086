import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { findRealPath } from '../base/files/disk.js';
import type { ExistingDeps } from '../bridge/open-existing.js';
import { choosePackageName } from '../create/package-name.js';
import { requireEmpty, type Scaffold, writeFiles } from '../create/scaffold.js';
import type { RemoteTransport } from '../existing-servers/existing-server.js';
import type { GivenOptions } from '../existing-servers/given-inputs.js';
import type { ServerReference } from '../existing-servers/server-reference.js';
import { copyFolders } from './copy-folders.js';
import { variablesOf } from './extension-variables.js';
import { findWrapSource } from './find-source.js';
import { secretValues, withoutValues } from './secret-values.js';
import { reserveNames } from './upstream-definition.js';
import { VariableNames } from './variable-names.js';
import { type WrappedServer, wrapServer } from './wrap-server.js';
import type { WrapSource } from './wrap-source.js';
import { wrapperFiles } from './wrapper-files.js';

export interface WrapRequest {
  /** Absolute path of the new extension. */
  readonly directory: string;
  /** Name of the npm package. Default: derived from the folder. */
  readonly name: string | undefined;
  /** Reference to an existing server, a file or a plugin. */
  readonly from: ServerReference;
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
  const [base, names] = [{ cwd, home }, new VariableNames()];
  reserveNames(source.servers, given, { base, names });
  const wrapped: WrappedServer[] = [];
  for (const server of source.servers) {
    const item = freeName(server.name, wrapped);
    const place = { item, folders: source.folders, hasSkills };
    wrapped.push(await wrapServer(server, place, { given, transport, names, base, env, node }));
  }
  requireOneVersion(wrapped);
  const variables = variablesOf(wrapped);
  const secrets = secretValues(wrapped.flatMap((one) => one.variables));
  const content = { name: packageName, source, servers: wrapped, variables };
  const files = Object.fromEntries(
    Object.entries(wrapperFiles(content)).map(([file, text]) => [file, withoutValues(text, secrets)]),
  );
  await writeFiles(directory, files);
  deps.tell('Copying files');
  const copied = await copyFolders(directory, source, { signal: deps.signal, secrets });
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
    variables: variables.flatMap(({ name: one, fallback }) => (fallback === undefined ? one : [])),
    hasDependencies: wrapped.some(({ dependency }) => dependency !== undefined),
    notes: [...new Set(notes.map((note) => withoutValues(note, secrets)))],
  };
}

/** A copy into a folder within itself would not end. */
function requireApart(directory: string, { folders }: WrapSource): void {
  for (const from of Object.values(folders)) {
    const between = path.relative(findRealPath(from) ?? from, directory);
    if (between !== '' && (between.startsWith('..') || path.isAbsolute(between))) continue;
    throw new AgentToolsError(
      'refused',
      `${directory} is inside ${from}, whose files it would contain. Name a folder elsewhere.`,
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
