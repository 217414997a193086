import { readFile } from 'node:fs/promises';
import { parseWithComments } from '../base/files/json-text.js';
import { followLinks } from '../base/files/text-file.js';
import { findProgram } from '../base/find-program.js';
import type { Client, ClientEnvironment } from '../clients/client.js';
import { configValueAt } from '../clients/edit/config-path.js';
import { projectFile, userFile } from '../clients/locate-config.js';
import type { Receipts } from '../clients/receipts.js';
import { home, ownFolder } from '../clients/table/folders.js';
import { clients, writableClients } from '../clients/table/index.js';
import { npmServerFolder } from '../existing-servers/npm-servers.js';
import type { WorkspaceOptions } from '../extension/workspace.js';
import { type InstalledEntry, listInstalled } from '../installation/installed.js';
import { PackageStore } from '../packages/package-store.js';
import type { SecretStore } from '../secrets/secret-store.js';
import { clientNeeds } from './client-needs.js';
import { findClientVersion } from './client-versions.js';
import { npmOf, npxPackage } from './entry-package.js';
import type { ConfigPicture, EntryPicture, Picture, UsedPackage } from './picture.js';
import { type ConfigPlace, entriesIn, filesAt, readConfig, withLocalScopes } from './read-config.js';

export interface GatherDeps {
  readonly surroundings: ClientEnvironment;
  readonly receipts: Receipts;
  readonly workspace: WorkspaceOptions & { readonly packagesFolder: string };
  readonly program: Picture['program'];
  readonly dataFolder: string;
  readonly version: string;
  readonly secrets: Pick<SecretStore, 'list'>;
  readonly now: () => Date;
}

export interface GatherOptions {
  /** Clients to look at. Undefined: all. */
  readonly clients: readonly Client[] | undefined;
  readonly moveSecrets: boolean;
}

/** The part of the picture that comes from files alone. */
export type FilePicture = Omit<Picture, 'probes' | 'registry'>;

/** Reads the files of all clients, and the records of AgentTools. Starts nothing, sends no request, writes nothing. */
export async function gather(
  { clients: chosen, moveSecrets }: GatherOptions,
  deps: GatherDeps,
): Promise<FilePicture> {
  const { surroundings, receipts, workspace, program, dataFolder, version, secrets, now } = deps;
  const isChosen = (id: string) => !chosen || chosen.some((client) => client.id === id);
  const { installed: all, notes } = await listInstalled({ receipts, workspace, clients });
  const installed = all.filter(({ receipt }) => isChosen(receipt.client));
  const files = await readConfigs(
    listPlaces({ installed, cwd: workspace.cwd, surroundings }).filter(({ client }) => isChosen(client.id)),
  );
  const configs = files.flatMap(withLocalScopes);
  const realFiles = new Map(
    await Promise.all(
      installed.map(async (one) => [one, await followLinks(one.receipt.file).catch(() => '')] as const),
    ),
  );
  const byKey = new Map<string, InstalledEntry[]>();
  for (const one of installed) {
    const name = `${one.receipt.client} ${one.receipt.key}`;
    const group = byKey.get(name) ?? [];
    byKey.set(name, group);
    group.push(one);
  }
  const entries = configs.flatMap((config) =>
    entriesIn(config).map((entry) => {
      const ours = byKey
        .get(`${config.client.id} ${entry.key}`)
        ?.find(
          (one) =>
            one.state !== 'gone' &&
            realFiles.get(one) === config.realFile &&
            (one.receipt.container.path[0] === 'projects' ? one.receipt.container.path[1] : undefined) ===
              (config.isLocal && config.project),
        );
      const disabledBy = entry.disabledBy ?? disabledElsewhere(entry, configs);
      return { ...entry, ...(ours && { installed: ours }), ...(disabledBy !== undefined && { disabledBy }) };
    }),
  );
  const here = new Set(entries.map((entry) => entry.installed));
  return {
    surroundings,
    cwd: workspace.cwd,
    program,
    dataFolder,
    version,
    now: now(),
    configs,
    entries,
    gone: installed.filter((one) => one.state === 'gone' || !here.has(one)),
    unreadableRecords: chosen ? [] : notes,
    secrets: new Set((await secrets.list()).map(({ name }) => name)),
    programs: await findPrograms(entries, surroundings),
    clientVersions: await findVersions(entries, surroundings),
    trust: await readTrust(surroundings),
    packages: await listPackages(entries, { dataFolder, workspace, isAll: !chosen }),
    moveSecrets,
  };
}

interface PlaceFacts {
  readonly installed: readonly InstalledEntry[];
  readonly cwd: string;
  readonly surroundings: ClientEnvironment;
}

/** Files of the user, of the project at the working directory, and of everything that AgentTools wrote. */
function listPlaces({ installed, cwd, surroundings }: PlaceFacts): readonly ConfigPlace[] {
  const written = installed.flatMap(({ receipt }) => receipt.project ?? []);
  const projects = [...new Set([cwd, ...written])];
  const places = writableClients.flatMap((client): readonly ConfigPlace[] => {
    const user = userFile(client, surroundings, '<key>').file;
    const inProjects = projects.flatMap((project) => {
      const { file } = projectFile(client, project, surroundings, '<key>');
      return filesOf(file, surroundings).map((one) => ({
        client,
        scope: 'project' as const,
        project,
        file: one,
      }));
    });
    const ofUser = filesOf(user, surroundings).map((file) => ({ client, scope: 'user' as const, file }));
    const named = installed
      .filter(({ receipt }) => receipt.client === client.id && receipt.scope === 'config')
      .map(({ receipt: { file } }) => ({ client, scope: 'config' as const, file }));
    return [...ofUser, ...inProjects, ...named];
  });
  const isFirst = (place: ConfigPlace, index: number) =>
    places.findIndex(({ client, file }) => client === place.client && file === place.file) === index;
  return places.filter(isFirst);
}

function filesOf(file: string | undefined, surroundings: ClientEnvironment): readonly string[] {
  return file === undefined ? [] : filesAt(file, surroundings);
}

async function readConfigs(places: readonly ConfigPlace[]): Promise<readonly ConfigPicture[]> {
  const read = await Promise.all(places.map(readConfig));
  return read.filter((config) => config !== undefined);
}

/** A setting outside of the entry that switches it off. */
function disabledElsewhere(
  { config, key }: EntryPicture,
  configs: readonly ConfigPicture[],
): string | undefined {
  for (const other of configs.filter(({ client }) => client === config.client)) {
    const has = (at: readonly string[]) => {
      const list = configValueAt(other.data, at);
      return Array.isArray(list) ? list.includes(key) : undefined;
    };
    // Gemini CLI and Qwen Code. @see https://geminicli.com/docs/tools/mcp-server, "Global MCP settings"
    if (has(['mcp', 'excluded'])) return `"mcp.excluded" in ${other.file}`;
    if (config.client.container.path[0] === 'mcpServers' && has(['mcp', 'allowed']) === false)
      return `"mcp.allowed" in ${other.file}`;
    // Claude Code. @see https://code.claude.com/docs/en/settings
    if (config.scope === 'project' && has(['disabledMcpjsonServers']))
      return `"disabledMcpjsonServers" in ${other.file}`;
    if (config.scope === 'project' && has(['projects', config.project ?? '', 'disabledMcpjsonServers']))
      return `"disabledMcpjsonServers" in ${other.file}`;
  }
  return undefined;
}

async function findPrograms(
  entries: readonly EntryPicture[],
  { env }: ClientEnvironment,
): Promise<Picture['programs']> {
  const names = new Set(entries.flatMap(({ launch }) => launch?.command.split(/[\\/]/).at(-1) || []));
  return new Map(
    await Promise.all([...names].map(async (name) => [name, await findProgram(name, env)] as const)),
  );
}

async function findVersions(
  entries: readonly EntryPicture[],
  surroundings: ClientEnvironment,
): Promise<Picture['clientVersions']> {
  const ids = new Set(entries.map(({ config }) => config.client.id));
  const versions = new Map<string, string>();
  for (const { client, versionFrom } of clientNeeds.filter((need) => ids.has(need.client))) {
    const version = await findClientVersion(versionFrom, surroundings);
    if (version !== undefined) versions.set(client, version);
  }
  return versions;
}

/** Files with the trusted folders of clients. */
const trustFiles = {
  'gemini-cli': home('.gemini/trustedFolders.json'),
  'qwen-code': home('.qwen/trustedFolders.json'),
  'copilot-cli': ownFolder('COPILOT_HOME', '.copilot')('config.json'),
} as const;

async function readTrust(surroundings: ClientEnvironment): Promise<Picture['trust']> {
  const read = Object.entries(trustFiles).map(async ([id, filesFor]) => {
    const [file = ''] = filesFor(surroundings);
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const parsed = text === undefined ? undefined : parseWithComments(text);
    return [id, parsed?.ok ? parsed.value : undefined] as const;
  });
  return new Map(await Promise.all(read));
}

const exactVersion = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;

interface GatheredPackage {
  readonly dataFolder: string;
  readonly workspace: GatherDeps['workspace'];
  /** True to list the packages of the store, too. */
  readonly isAll: boolean;
}

async function listPackages(
  entries: readonly EntryPicture[],
  { dataFolder, workspace, isAll }: GatheredPackage,
): Promise<readonly UsedPackage[]> {
  const inEntries = entries.flatMap((entry): readonly UsedPackage[] => {
    const { installed, launch } = entry;
    const ours = installed?.receipt.kind === 'npm' ? npmOf(installed) : undefined;
    if (ours) return [{ ...ours, entry, folder: npmServerFolder(dataFolder, ours) }];
    const named = launch && npxPackage(launch);
    // Tags and ranges have no version that could be outdated.
    return named?.version !== undefined && exactVersion.test(named.version)
      ? [{ name: named.name, version: named.version, entry }]
      : [];
  });
  if (!isAll) return inEntries;
  const stored = await new PackageStore(workspace.packagesFolder).all().catch(() => []);
  return [
    ...inEntries,
    ...stored.map(({ name, record: { version }, installation }) => ({ name, version, folder: installation })),
  ];
}
