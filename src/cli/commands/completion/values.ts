import path from 'node:path';
import { workspaceFolders } from '../../../engine/base/folders.js';
import type { Receipt } from '../../../engine/clients/receipt.js';
import type { ListedServer } from '../../../engine/discovery/listed-server.js';
import type { Host } from '../../../host.js';
import { workspaceOptions } from '../../shared/workspace.js';

/** A value for a place of the command line. */
export interface Candidate {
  readonly value: string;
  readonly about?: string | undefined;
}

/** The command line before the cursor. */
export interface Given {
  readonly command: string;
  readonly positional: readonly string[];
  readonly flags: readonly string[];
  readonly word: string;
}

type Source = (given: Given, host: Host) => Promise<readonly Candidate[]>;

const clientIds: Source = async (_, host) => {
  const [{ clients }, { installationFolders }, { isDetected }] = await Promise.all([
    import('../../../engine/clients/table/index.js'),
    import('../../../engine/installation/installation-folders.js'),
    import('../../../engine/clients/detect-client.js'),
  ]);
  const { surroundings } = installationFolders(host);
  const rows = clients.map((client) => ({ client, isHere: isDetected(client, surroundings) }));
  rows.sort((a, b) => Number(b.isHere) - Number(a.isHere));
  return rows.map(({ client: { id, name }, isHere }) => ({
    value: id,
    about: isHere ? `${name}, found` : name,
  }));
};

/** Servers in the folders that `start` searches. */
async function listedServers(host: Host, cwd = host.cwd): Promise<readonly ListedServer[]> {
  const { listServers } = await import('../../../engine/discovery/list-servers.js');
  const { servers } = await listServers({ folders: { ...workspaceOptions(host), cwd }, builtIn: true });
  return servers;
}

const serverNames: Source = async ({ command, positional, word }, host) => {
  if (/^[./~]/.test(word)) return [];
  if (command === 'uninstall') return await installedKeys(positional, host);
  const listed = (await listedServers(host)).map(({ name, description }) => ({
    value: name,
    about: description ?? undefined,
  }));
  const takesKeys = ['call', 'show', 'validate', 'preview'].includes(command);
  return takesKeys
    ? [...listed, ...(await installedKeys([], host, ({ existing }) => existing === true))]
    : listed;
};

/** Keys of the entries in the clients that the command line names; without a client, in all. */
async function installedKeys(
  [clients]: readonly string[],
  host: Host,
  isMeant: (receipt: Receipt) => boolean = () => true,
): Promise<readonly Candidate[]> {
  const isNamed = ({ client }: Receipt) => clients === undefined || clients.split(',').includes(client);
  const receipts = (await allReceipts(host)).filter((receipt) => isNamed(receipt) && isMeant(receipt));
  const keys = new Map(receipts.map(({ key, server }) => [key, server]));
  return [...keys].map(([value, about]) => ({ value, about }));
}

async function allReceipts(host: Host): Promise<readonly Receipt[]> {
  const { installationFolders } = await import('../../../engine/installation/installation-folders.js');
  const { records } = await installationFolders(host).receipts.all();
  return records.flatMap((record) => record.receipts);
}

/** Tools of the server that the command line names, from manifests, data definitions and records. */
const toolNames: Source = async ({ positional }, host) => {
  const [server = ''] = positional;
  const isPath = /^(?:[./~]|[a-z]:)/i.test(server);
  const folder = path.resolve(host.cwd, server.replace(/^~(?=$|[\\/])/, host.home));
  const servers = await listedServers(host, isPath ? folder : host.cwd);
  const named = servers.filter(({ name, source, location }) =>
    isPath
      ? source === 'project' && (folder === location || folder.startsWith(location + path.sep))
      : name === server || name === `@${server}`,
  );
  const listed = named.flatMap((one) => one.tools.map((tool) => tool.slice(tool.lastIndexOf('/') + 1)));
  const tools = new Set([...listed, ...(await recordedTools(server, host))]);
  return [...tools].map((value) => ({ value }));
};

/** Tools of a server at its last start, by its reference or the key of its entry. */
async function recordedTools(server: string, host: Host): Promise<readonly string[]> {
  const [
    { receiptMatcher },
    { UpstreamRecords },
    { ExistingRecords, upstreamRecordKey },
    { SurfaceRecords },
  ] = await Promise.all([
    import('../../../engine/installation/match-receipt.js'),
    import('../../../engine/runtime/upstream-records.js'),
    import('../../../engine/existing-servers/existing-records.js'),
    import('../../../engine/surface/surface-records.js'),
  ]);
  const isMeant = await receiptMatcher(server, host);
  const { dataFolder } = workspaceFolders(host);
  const upstreams = new UpstreamRecords(dataFolder);
  const servers = new ExistingRecords(dataFolder);
  const surfaces = new SurfaceRecords(dataFolder);
  const found = (await allReceipts(host)).filter(isMeant).map(async ({ existing, server: reference }) => {
    if (existing) {
      const record = await servers.read(reference).catch(() => undefined);
      return upstreams.read(upstreamRecordKey(record ?? { reference }))?.names.tools ?? [];
    }
    return [...((await surfaces.read(reference))?.items.tools.keys() ?? [])];
  });
  return (await Promise.all(found)).flat();
}

const codes: Source = async () => {
  const { ruleTable } = await import('../../../engine/validate/rules/index.js');
  return ruleTable.map(({ code, summary }) => ({ value: code, about: summary }));
};

const topics: Source = async () => {
  const { listTopics } = await import('../../shared/docs-pages.js');
  return (await listTopics()).map(({ name, title }) => ({ value: name, about: title }));
};

/** Names of things in the data folder, by command. */
const ownNames: Source = async ({ command }, host) => {
  if (command === 'delete-server') {
    const servers = await listedServers(host);
    return servers.filter(({ source }) => source === 'user-made').map(({ name }) => ({ value: name }));
  }
  if (command === 'remove' || command === 'update') {
    const { PackageStore } = await import('../../../engine/packages/package-store.js');
    const packages = await new PackageStore(workspaceFolders(host).packagesFolder).all();
    return packages.map(({ name, record }) => ({ value: name, about: record.version }));
  }
  if (command !== 'set') return [];
  const { hostSecrets } = await import('../../shared/secrets.js');
  return (await hostSecrets(host).list()).map(({ name }) => ({ value: name }));
};

/** Values by the name of an argument, or of the value of an option. Other places have none. */
const sources: Readonly<Record<string, Source>> = {
  client: clientIds,
  'client,client…': clientIds,
  clients: clientIds,
  ids: clientIds,
  server: serverNames,
  'path|server': serverNames,
  reference: serverNames,
  pattern: serverNames,
  tool: toolNames,
  tools: toolNames,
  code: codes,
  topic: topics,
  name: ownNames,
};

/** Values for a place. Runs no code of extensions, and asks no registry. */
export async function valuesOf(name: string, given: Given, host: Host): Promise<readonly Candidate[]> {
  return (await sources[name]?.(given, host)) ?? [];
}
