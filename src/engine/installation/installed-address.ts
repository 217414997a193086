import type { Receipt } from '../clients/receipt.js';
import type { ExistingRecords } from '../existing-servers/existing-records.js';

/** Address of the remote server that an entry reaches; undefined for a program, or an address with inputs. */
export async function installedAddress(
  { existing, server }: Receipt,
  records: ExistingRecords,
): Promise<string | undefined> {
  if (!existing) return undefined;
  if (/^https?:/.test(server)) return server;
  const template = (await records.read(server).catch(() => undefined))?.template;
  if (template?.kind !== 'remote') return undefined;
  return template.url.every((part) => typeof part === 'string') ? template.url.join('') : undefined;
}
