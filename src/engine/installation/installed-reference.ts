import { AgentToolsError } from '../base/errors.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { readServerReference } from '../existing-servers/server-reference.js';
import { receiptMatcher } from './match-receipt.js';

interface InstalledLookup {
  readonly receipts: Receipts;
  readonly cwd: string;
  readonly home: string;
}

/**
 * The reference of an existing server that `install` wrote, by its package name, its reference or the key of its entry;
 * undefined without one.
 * @throws AgentToolsError `ambiguous` if the name leads to several servers
 */
export async function installedReference(
  name: string,
  { receipts, ...place }: InstalledLookup,
): Promise<string | undefined> {
  const { records } = await receipts.all();
  const isMeant = await receiptMatcher(name, place);
  const found = records
    .flatMap((record) => record.receipts)
    // A command line does not read back as a reference.
    .filter((receipt) => receipt.existing && receipt.kind !== 'command')
    .filter((receipt) => isMeant(receipt) || packageOf(receipt) === name)
    .map(({ server }) => server);
  const [first, ...others] = new Set(found);
  if (others.length === 0) return first;
  const message = `"${name}" was installed as several servers. Name one: ${[first, ...others].join(', ')}`;
  throw new AgentToolsError('ambiguous', message);
}

function packageOf({ server }: Receipt): string | undefined {
  const reference = readServerReference(server);
  return 'name' in reference ? reference.name : undefined;
}
