import path from 'node:path';
import type { NpmDeps } from '../npm/npm-dependencies.js';
import { UpstreamRecords } from '../runtime/upstream-records.js';
import { type DiscoverySource, querySource, type SourceResult } from './discovery-source.js';
import { installedSource } from './installed-source.js';
import type { ListedServer } from './listed-server.js';
import { builtinSource, packagesSource, projectSource, userServersSource } from './local-sources.js';
import { readMeaning, readPattern } from './server-pattern.js';

/** Folders to search for servers. Each is absolute. */
export interface DiscoveryFolders {
  readonly cwd: string;
  readonly userServersFolder: string;
  readonly builtinFolder: string;
  readonly packagesFolder: string;
  readonly globalFolder: string;
  readonly siblingsFolder?: string;
  /** Cache of registry results. */
  readonly cacheFolder: string;
}

/** Options of a registry search. */
export interface RemoteOptions {
  /** Source of registries, credentials and proxies. */
  readonly npm: NpmDeps;
  /** Searches again even if there is a recent result. Default: false. */
  readonly refresh?: boolean;
  /** Receives progress messages. */
  readonly tell?: (text: string) => void;
  /** Results per page of a search. Default: 250. */
  readonly pageSize?: number;
  /** Base URL of the MCP Registry, or `none`. Default: the official registry. */
  readonly mcpRegistry?: string | undefined;
}

export interface ListServersOptions {
  readonly folders: DiscoveryFolders;
  /** Name of a server or package, with `*` for any characters. Default: all. */
  readonly pattern?: string | undefined;
  /** Lists built-in servers, too. Default: only a built-in server with exactly the name in `pattern`. */
  readonly builtIn?: boolean;
  /** Ignores the project at the working directory, as clients do. Default: false. */
  readonly ignoreProject?: boolean;
  /** Default: no registry is searched. */
  readonly remote?: RemoteOptions | undefined;
}

export interface ServerList {
  /** Ordered by source, the one with precedence first, then by name. */
  readonly servers: readonly ListedServer[];
  /** Skipped servers and packages, with reasons. */
  readonly notes: readonly string[];
}

/** Lists available servers. Runs no code of extensions and installs nothing. */
export async function listServers(options: ListServersOptions): Promise<ServerList> {
  const { folders, remote, ignoreProject = false } = options;
  const sources = [...localSources(folders), ...(remote ? remoteSources(remote, options) : [])];
  const asked = ignoreProject ? sources.filter(({ name }) => name !== 'project') : sources;
  return await listFrom(asked, options);
}

/** Combines the results of sources. Searches the sources in parallel. */
export async function listFrom(
  sources: readonly DiscoverySource[],
  { pattern, builtIn = false }: Pick<ListServersOptions, 'pattern' | 'builtIn'>,
): Promise<ServerList> {
  const findings = await Promise.all(sources.map(querySource));
  const matches = pattern === undefined ? () => true : readPattern(pattern);
  const found = firstOfEach(findings, readMeaning(pattern));
  const servers = found.servers
    .filter(
      (found) =>
        found.server.source === 'mcp-registry' ||
        matches(found) ||
        found.aliases.some((name) => matches({ name, package: undefined })),
    )
    .filter(({ server: { source, name } }) => source !== 'built-in' || builtIn || name === pattern)
    .map(({ server }) => server);
  return { servers, notes: found.notes };
}

function localSources(folders: DiscoveryFolders): readonly DiscoverySource[] {
  const { cwd, userServersFolder, builtinFolder, packagesFolder, globalFolder, siblingsFolder } = folders;
  const global = new Set([globalFolder, ...(siblingsFolder === undefined ? [] : [siblingsFolder])]);
  const records = new UpstreamRecords(path.dirname(userServersFolder));
  const added = {
    name: 'added',
    title: `The package folder ${packagesFolder}`,
    folders: [packagesFolder],
  } as const;
  const everywhere = {
    name: 'global',
    title: `The global folder ${globalFolder}`,
    folders: [...global],
  } as const;
  return [
    userServersSource(userServersFolder, records),
    projectSource(cwd, records),
    packagesSource(added, records),
    packagesSource(everywhere, records),
    installedSource(path.dirname(userServersFolder), records),
    builtinSource(builtinFolder),
  ];
}

/** Registries can be slow and many. Progress is visible during the search. */
const remoteTimeLimitMs = 90_000;

function remoteSources(remote: RemoteOptions, options: ListServersOptions): readonly DiscoverySource[] {
  const npm = remoteSource(remote, options);
  return remote.mcpRegistry === 'none' ? [npm] : [npm, mcpRegistrySource(remote, options)];
}

function mcpRegistrySource(
  { npm, refresh = false, tell = () => {}, mcpRegistry }: RemoteOptions,
  { folders: { cacheFolder }, pattern }: ListServersOptions,
): DiscoverySource {
  return {
    name: 'mcp-registry',
    title: 'The MCP Registry',
    timeLimitMs: remoteTimeLimitMs,
    async search(report, signal) {
      const [{ openMcpRegistry }, { searchMcpRegistry }] = await Promise.all([
        import('../mcp-registry/open-registry.js'),
        import('./search-mcp-registry.js'),
      ]);
      const folder = path.join(cacheFolder, 'mcp-registry');
      const registry = await openMcpRegistry({ npm, url: mcpRegistry, cacheFolder: folder, refresh });
      await searchMcpRegistry({ registry, pattern, report, signal, tell });
    },
  };
}

function remoteSource(
  { npm, refresh = false, tell = () => {}, pageSize = 250 }: RemoteOptions,
  { folders: { cacheFolder }, pattern }: ListServersOptions,
): DiscoverySource {
  return {
    name: 'remote',
    title: 'The registry',
    timeLimitMs: remoteTimeLimitMs,
    async search(report, signal) {
      const [{ openRegistries }, { searchRegistries }] = await Promise.all([
        import('./registries.js'),
        import('./search-registries.js'),
      ]);
      const registries = await openRegistries({ npm, cacheFolder });
      const search = {
        registries,
        cacheFolder,
        refresh,
        pageSize,
        now: Date.now,
        tell,
        isMeant: readMeaning(pattern),
      };
      await searchRegistries(search, report, signal);
    },
  };
}

interface ListCandidate {
  readonly name: string;
  readonly package: string | undefined;
  readonly aliases: readonly string[];
  readonly server: ListedServer;
}

/**
 * Of packages and servers with the same name, keeps those that a command line would resolve to, with their
 * notes.
 */
function firstOfEach(
  findings: readonly SourceResult[],
  isMeant: (packageName: string) => boolean,
): {
  readonly servers: readonly ListCandidate[];
  readonly notes: readonly string[];
} {
  const packages = new Set<string>();
  const names = new Set<string>();
  const notes: string[] = [];
  const servers = findings.flatMap((source) => {
    const fresh = source.packages.filter(({ name, sameAs = [] }) => {
      if (sameAs.some((one) => packages.has(one))) return false;
      if (name === undefined) return true;
      return !packages.has(name) && packages.add(name);
    });
    fresh.sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
    const meant = fresh.filter(
      ({ name, sameAs }) => name === undefined || sameAs !== undefined || isMeant(name),
    );
    notes.push(...meant.flatMap((one) => one.notes), ...source.notes);
    return fresh
      .flatMap(({ name, aliases = [], servers }) =>
        servers.map((server) => ({ package: name, aliases, name: server.name, server })),
      )
      .filter(({ name }) => !names.has(name) && names.add(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
  return { servers, notes };
}
