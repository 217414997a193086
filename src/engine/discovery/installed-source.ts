import { Receipts } from '../clients/receipts.js';
import { ExistingRecords, upstreamRecordKey } from '../existing-servers/existing-records.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { readServerReference } from '../existing-servers/server-reference.js';
import type { UpstreamRecords } from '../runtime/upstream-records.js';
import type { DiscoverySource } from './discovery-source.js';
import type { ListedServer } from './listed-server.js';

/** Source for the existing MCP servers that `install` wrote into clients, from the records of AgentTools. */
export function installedSource(dataFolder: string, records: UpstreamRecords): DiscoverySource {
  return {
    name: 'installed',
    title: `The records in ${dataFolder}`,
    timeLimitMs: 5000,
    async search(report) {
      const { records: files, notes } = await new Receipts({ folder: dataFolder }).all();
      for (const note of notes) report.note(note);
      const receipts = files.flatMap((file) => file.receipts).filter(({ existing }) => existing);
      const servers = new ExistingRecords(dataFolder);
      for (const reference of new Set(receipts.map(({ server }) => server))) {
        const server = await servers.read(reference).catch(() => undefined);
        const listed = server && listedServer(server, records);
        if (!listed) continue;
        const keys = receipts.filter((receipt) => receipt.server === reference).map(({ key }) => key);
        const aliases = [...keys, server.name, ...packageOf(server)];
        report.found({ name: undefined, servers: [listed], aliases, notes: [] });
      }
    },
  };
}

/** A command line does not read back as a reference. */
function packageOf({ source, reference }: ExistingServer): readonly string[] {
  const read = source === 'command' ? undefined : readServerReference(reference);
  return read && 'name' in read ? [read.name] : [];
}

function listedServer(server: ExistingServer, records: UpstreamRecords): ListedServer {
  const { source, name, reference, description, version, publisher, content } = server;
  const { tools = [], prompts = [] } = records.read(upstreamRecordKey(server))?.names ?? {};
  return {
    name: source === 'command' ? name : reference,
    source: 'installed',
    description: description ?? null,
    version: version ?? '',
    tools,
    prompts,
    location: content?.folder ?? null,
    publisher: publisher ?? null,
  };
}
