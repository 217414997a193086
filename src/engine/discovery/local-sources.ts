import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { forEachLimited } from '../base/concurrency.js';
import { AgentToolsError } from '../base/errors.js';
import { ancestorFolders } from '../base/files/ancestor-folders.js';
import { statFile } from '../base/files/disk.js';
import { checkDefinition, serverLists } from '../extension/check-definition.js';
import { describeFault, isSerious } from '../extension/describe-fault.js';
import { DefinitionError, Extension, type Origin } from '../extension/extension.js';
import { type Declaration, listFaults, ManifestError } from '../extension/manifest.js';
import { isPackageName } from '../extension/names.js';
import type { UpstreamRecords } from '../runtime/upstream-records.js';
import type { DiscoverySource, ReportFound } from './discovery-source.js';
import type { ListedServer, ServerOutline, SourceName } from './listed-server.js';
import { upstreamOutliner } from './outline-upstreams.js';
import {
  declaredServer,
  declaredServers,
  definedServer,
  isListable,
  outlinePackage,
  type PackageOutline,
} from './package-outline.js';

/** Disks are fast; an unavailable network drive must not delay the listing. */
const timeLimitMs = 5000;

/**
 * Source for the package at the working directory or nearest above it, and for packages in each
 * `node_modules` from there upwards.
 */
export function projectSource(cwd: string, records: UpstreamRecords): DiscoverySource {
  return {
    name: 'project',
    title: `The project at ${cwd}`,
    timeLimitMs,
    async search(report) {
      const folders = ancestorFolders(cwd);
      const here = await firstPackage(folders);
      if (here !== undefined) await readPackage(here, { source: 'project', report, records });
      const options = { source: 'project', report, records } as const;
      for (const folder of folders) await readPackages(path.join(folder, 'node_modules'), options);
    },
  };
}

/** Source for the packages in folders such as the global `node_modules`. The first folder has precedence. */
export function packagesSource(
  {
    name,
    title,
    folders,
  }: { readonly name: SourceName; readonly title: string; readonly folders: readonly string[] },
  records: UpstreamRecords,
): DiscoverySource {
  return {
    name,
    title,
    timeLimitMs,
    async search(report) {
      for (const folder of folders) await readPackages(folder, { source: name, report, records });
    },
  };
}

/** Source for user servers, which are all in one extension. */
export function userServersSource(folder: string, records: UpstreamRecords): DiscoverySource {
  return {
    name: 'user-made',
    title: `The folder of user-made servers ${folder}`,
    timeLimitMs,
    search: (report) => readPackage(folder, { source: 'user-made', origin: 'user', report, records }),
  };
}

/** Source for the bundled extensions. */
export function builtinSource(folder: string): DiscoverySource {
  return {
    name: 'built-in',
    title: 'The folder of built-in servers',
    timeLimitMs,
    async search(report) {
      for (const name of await sortedNamesIfPresent(folder)) {
        await readPackage(path.join(folder, name), { source: 'built-in', origin: 'builtin', report });
      }
    },
  };
}

async function firstPackage(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const info = await stat(path.join(folder, 'package.json')).catch(() => undefined);
    if (info?.isFile()) return folder;
  }
  return undefined;
}

/** Parallel reads that do not slow each other down. */
const packagesAtOnce = 32;

async function readPackages(
  folder: string,
  options: Pick<InstalledReadOptions, 'source' | 'report' | 'records'>,
): Promise<void> {
  const names = await packageNamesIn(folder);
  await forEachLimited(names, packagesAtOnce, (name) =>
    readPackage(path.join(folder, name), { ...options, name }),
  );
}

async function packageNamesIn(folder: string): Promise<readonly string[]> {
  const names = await sortedNamesIfPresent(folder);
  const inScopes = names
    .filter((name) => name.startsWith('@'))
    .map(async (scope) =>
      (await sortedNamesIfPresent(path.join(folder, scope))).map((name) => `${scope}/${name}`),
    );
  const scoped = (await Promise.all(inScopes)).flat();
  return [...names, ...scoped].filter(isPackageName);
}

async function sortedNamesIfPresent(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

interface InstalledReadOptions {
  readonly source: SourceName;
  readonly report: ReportFound;
  /** Lookup name. Default: the name in its `package.json`. */
  readonly name?: string;
  readonly origin?: Origin;
  /** Records of existing MCP servers in lists. */
  readonly records?: UpstreamRecords;
}

/** Reports the servers of a package folder, if the package is an extension. */
async function readPackage(
  folder: string,
  { source, report, name, origin = 'package', records }: InstalledReadOptions,
): Promise<void> {
  try {
    const text = await packageTextIn(folder);
    if (text === undefined) {
      if (source !== 'added') return;
      throw new AgentToolsError('failed', `There is no package.json in ${folder} any more.`);
    }
    // Few of thousands of packages are extensions, and searching for a word is faster than parsing the file.
    if (!holdsOnlyExtensions(source) && !text.includes('"agenttools"')) return;
    const extension = await Extension.open(await realpath(folder), { origin, loadCode: refuseCode });
    const { manifest } = extension;
    const outlinedPackage =
      origin === 'package'
        ? outlinePackage(name ?? extension.name, manifest)
        : { name: extension.name, content: manifest, about: undefined, qualify: (item: string) => item };
    const outlined = {
      ...outlinedPackage,
      ...(records && { outlineUpstream: upstreamOutliner(extension, records) }),
    };
    if (!isListable(manifest)) {
      throw new AgentToolsError('failed', `${manifest.directory} declares more than can be listed.`);
    }
    const { servers, notes } = await outlineServers(extension, outlined);
    const faults = listFaults(manifest).map((fault) => `${outlined.name}: ${fault}`);
    const location = manifest.directory;
    report.found({
      name: origin === 'package' ? outlined.name : undefined,
      servers: servers.map((server) => ({ ...server, source, location })),
      notes: [...faults, ...notes],
    });
  } catch (error) {
    const isOther = error instanceof ManifestError && error.diagnostic === 'no-extension';
    if (isOther && !holdsOnlyExtensions(source)) return;
    if (!(error instanceof AgentToolsError)) throw error;
    const notes = [`${name ?? folder} is left out: ${error.message}`];
    // The package is installed nonetheless, and hides other packages of its name.
    report.found({ name, servers: [], notes });
  }
}

/** True if the source contains only extensions. */
function holdsOnlyExtensions(source: SourceName): boolean {
  return source === 'user-made' || source === 'added';
}

/** Largest `package.json` of an extension, in bytes. */
const maxPackageJsonBytes = 5 * 1024 * 1024;

/**
 * Text of the package.json in a folder; undefined if missing. Never blocks on a named pipe.
 * @throws AgentToolsError if it cannot be read
 */
async function packageTextIn(folder: string): Promise<string | undefined> {
  const file = path.join(folder, 'package.json');
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const info = await handle.stat();
      if (!info.isFile()) throw new AgentToolsError('failed', `${file} is not a file.`);
      if (info.size > maxPackageJsonBytes) {
        throw new AgentToolsError(
          'failed',
          `${file} is larger than ${maxPackageJsonBytes / 1024 / 1024} MB.`,
        );
      }
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(info.size), 0, info.size, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof AgentToolsError) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new AgentToolsError('failed', `${file} cannot be read (${code}).`);
  }
}

async function refuseCode(_: string, relative: string): Promise<never> {
  throw new DefinitionError('not-checked', `${relative} is code, which listing does not run.`, {
    file: relative,
  });
}

async function outlineServers(
  extension: Extension,
  outlined: PackageOutline,
): Promise<{
  readonly servers: readonly (ServerOutline & Pick<ListedServer, 'problem'>)[];
  readonly notes: readonly string[];
}> {
  const { servers } = extension.manifest.declarations;
  if (servers.length === 0) {
    // Items of bundled extensions have bare names, so none of them is a server that can be started.
    const isNamed = extension.origin === 'package';
    return { servers: isNamed ? declaredServers(outlined) : [], notes: [] };
  }
  const read = await Promise.all(
    servers.map(async (declaration) => {
      try {
        return { server: await outlineServer(extension, declaration, outlined) };
      } catch (error) {
        if (!(error instanceof DefinitionError)) throw error;
        const { message, location } = error;
        const { directory, root } = extension.manifest;
        if (!statFile(path.join(directory, root))) {
          const problem = `The folder of its definitions does not exist: ${path.join(directory, root)}`;
          return { server: { ...declaredServer(declaration, outlined), problem } };
        }
        const file = path.join(extension.manifest.directory, location.file);
        return { note: `${outlined.qualify(declaration.name)} is left out: ${message} (${file})` };
      }
    }),
  );
  return {
    servers: read.flatMap(({ server }) => server ?? []),
    notes: read.flatMap(({ note }) => note ?? []),
  };
}

/** @throws DefinitionError if there is no valid definition. */
async function outlineServer(
  extension: Extension,
  declaration: Declaration,
  outlined: PackageOutline,
): Promise<ServerOutline> {
  const files = await extension.files();
  const [file] = files.find('servers', declaration.name);
  if (file !== undefined && file.language !== 'data') return declaredServer(declaration, outlined);
  const { value, at, file: found } = await extension.definition('servers', declaration.name);
  for (const fault of checkDefinition('servers', value)) {
    const isEntry = fault.path.length > 1 && serverLists.some((list) => list === fault.path[0]);
    if (isEntry || !isSerious(fault)) continue;
    const message = describeFault(`Server "${declaration.name}"`, fault);
    throw new DefinitionError('invalid-server', message, { file: found.file, path: [...at, ...fault.path] });
  }
  return definedServer(declaration, value, outlined);
}
