import { type ExistingServerFacts, existingServerFacts } from '../discovery/existing-facts.js';
import { upstreamRecordKey } from '../existing-servers/existing-records.js';
import { hideSecrets } from '../existing-servers/hide-secrets.js';
import { UpstreamRecords } from '../runtime/upstream-records.js';
import type { BridgeDeps } from './existing-resolver.js';
import { type NamedReference, openExisting } from './open-existing.js';

/** Facts of an existing server, with the items of its last start. Starts nothing. @throws AgentToolsError */
export async function showExisting(named: NamedReference, deps: BridgeDeps): Promise<ExistingServerFacts> {
  const found = await openExisting(named, deps, deps.report);
  const { server } = hideSecrets(found, named.text);
  const record = new UpstreamRecords(deps.dataFolder).read(upstreamRecordKey(server));
  return existingServerFacts(server, record?.names);
}
