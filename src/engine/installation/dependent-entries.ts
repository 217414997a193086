import { clientName } from '../clients/client-name.js';
import type { Receipts } from '../clients/receipts.js';
import { parseQualifiedName } from '../extension/names.js';
import type { Dependents } from '../packages/dependents.js';

/** Finds the entries that `install` wrote for servers of a package. */
export async function findDependentEntries(packageName: string, receipts: Receipts): Promise<Dependents> {
  const { records, notes } = await receipts.all();
  const references = records
    .flatMap((record) => record.receipts)
    .filter(({ server }) => parseQualifiedName(server)?.package === packageName)
    .map(({ key, client, file, server }) => ({
      by: `"${key}" in ${clientName(client)} (${file})`,
      item: server,
    }));
  return { references, unreadable: notes };
}
