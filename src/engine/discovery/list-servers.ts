import type { NpmDeps } from '../npm/npm-dependencies.js';
import { type DiscoverySource, querySource, type SourceResult } from './discovery-source.js';
import type { ListedServer } from './listed-server.js';
import { builtinSource, packagesSource, projectSource, userServersSource } from './local-sources.js';
import { readMeaning, readPattern } from './server-pattern.js';

/** Where servers are looked for. Every folder is absolute. */
export interface DiscoveryFolders {
  readonly cwd: string;
  readonly userServersFolder: string;
  readonly builtinFolder: string;
  readonly packagesFolder: string;
  readonly globalFolder: string;
  readonly siblingsFolder?: string;
  /** What registries had is kept there. */
  readonly cacheFolder: string;
}

/** How registries are asked. */
export interface RemoteOptions {
  /** Whose registries, credentials and proxies. */
  readonly npm: NpmDeps;
  /** Ask even if they were asked a moment ago. */
  readonly refresh?: boolean;
  /** Told what it is at. */
  readonly tell?: (text: string) => void;
  /** Hits per page of a search. */
  readonly pageSize?: number;
}

export interface ListServersOptions {
  readonly folders: DiscoveryFolders;
  /** The name of a server or of a package, in which `*` stands for anything; absent: all. */
  readonly pattern?: string | undefined;
  /** Built-in servers are listed, too; otherwise only one that the pattern names. */
  readonly builtIn?: boolean;
  /** Leave out the project at the working directory, where clients do not look. */
  readonly ignoreProject?: boolean;
  /** Absent: no registry is asked. */
  readonly remote?: RemoteOptions | undefined;
}

export interface ServerList {
  /** The source that wins first, then by name. */
  readonly servers: readonly ListedServer[];
  /** What is not in the list though it might be expected there, and why. */
  readonly notes: readonly string[];
}

/** The servers there are. Neither code of an extension is run nor anything installed. */
export async function listServers(options: ListServersOptions): Promise<ServerList> {
  const { folders, remote, ignoreProject = false } = options;
  const sources = [...localSources(folders), ...(remote ? [remoteSource(remote, options)] : [])];
  const asked = ignoreProject ? sources.filter(({ name }) => name !== 'project') : sources;
  return await listFrom(asked, options);
}

/** What sources have together. They are asked side by side. */
export async function listFrom(
  sources: readonly DiscoverySource[],
  { pattern, builtIn = false }: Pick<ListServersOptions, 'pattern' | 'builtIn'>,
): Promise<ServerList> {
  const findings = await Promise.all(sources.map(querySource));
  const matches = pattern === undefined ? () => true : readPattern(pattern);
  const found = firstOfEach(findings, readMeaning(pattern));
  const servers = found.servers
    .filter(matches)
    .filter(({ server: { source, name } }) => source !== 'built-in' || builtIn || name === pattern)
    .map(({ server }) => server);
  return { servers, notes: found.notes };
}

function localSources(folders: DiscoveryFolders): readonly DiscoverySource[] {
  const { cwd, userServersFolder, builtinFolder, packagesFolder, globalFolder, siblingsFolder } = folders;
  const global = new Set([globalFolder, ...(siblingsFolder === undefined ? [] : [siblingsFolder])]);
  return [
    userServersSource(userServersFolder),
    projectSource(cwd),
    packagesSource('added', `The package folder ${packagesFolder}`, [packagesFolder]),
    packagesSource('global', `The global folder ${globalFolder}`, [...global]),
    builtinSource(builtinFolder),
  ];
}

/** Registries may be slow and many; whoever asks for them sees that they are asked. */
const remoteTimeLimitMs = 90_000;

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
  readonly server: ListedServer;
}

/** Of packages and servers of one name, the ones that a command line would lead to; and what is to be said of those. */
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
    const fresh = source.packages.filter(({ name }) => {
      if (name === undefined) return true;
      return !packages.has(name) && packages.add(name);
    });
    fresh.sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
    const meant = fresh.filter(({ name }) => name === undefined || isMeant(name));
    notes.push(...meant.flatMap((one) => one.notes), ...source.notes);
    return fresh
      .flatMap((found) => found.servers.map((server) => ({ package: found.name, name: server.name, server })))
      .filter(({ name }) => !names.has(name) && names.add(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
  return { servers, notes };
}
