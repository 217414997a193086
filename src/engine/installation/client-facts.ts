import type { Client } from '../clients/client.js';
import { reconcileRecords } from '../clients/config-change.js';
import { isDetected } from '../clients/detect-client.js';
import { clients } from '../clients/table/index.js';
import { locateClientFiles } from './entry-target.js';
import type { InstallationFolders } from './installation-folders.js';
import { isEntryPresent } from './installed.js';

/** A client, as `list-clients` shows it. */
export interface ClientFacts {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  /** `configured`: an entry of AgentTools is in its file; `installed`: the client is on this machine. */
  readonly state: 'configured' | 'installed' | 'not found';
  /** The user's config file; null if the client has none on this system. */
  readonly user: string | null;
  /** Config file in a project, relative to the project; null if the client has none. */
  readonly project: string | null;
  /** True if the client has no writable config file: `install` prints text to paste. */
  readonly manual: boolean;
}

/** Returns every known client with its state. */
export async function clientFacts({ surroundings, receipts }: InstallationFolders): Promise<{
  readonly clients: readonly ClientFacts[];
  readonly notes: readonly string[];
}> {
  const { records, notes } = await reconcileRecords(receipts);
  const configured = new Set<string>();
  for (const { realFile, receipts: known } of records) {
    for (const receipt of known) if (await isEntryPresent(receipt, realFile)) configured.add(receipt.client);
  }
  const clientState = (client: Client) => {
    if (configured.has(client.id)) return 'configured';
    return isDetected(client, surroundings) ? 'installed' : 'not found';
  };
  const facts = clients.map((client) => ({
    id: client.id,
    name: client.name,
    aliases: client.aliases,
    state: clientState(client),
    ...locateClientFiles(client, surroundings),
    manual: client.manual !== undefined,
  })) satisfies readonly ClientFacts[];
  return { clients: facts, notes };
}
