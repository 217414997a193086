import { followLinks, readTextFile } from '../base/files/text-file.js';
import type { WritableClient } from '../clients/client.js';
import { reconcileRecords } from '../clients/config-change.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { readEntry } from '../clients/edit/entries.js';
import { checkKey } from '../clients/entry-keys.js';
import { slotKey } from '../clients/ledger/slot.js';
import { currentLocation } from '../clients/locate-config.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { toUserError } from '../installation/config-fault.js';
import { type EntryTarget, locateEntryTarget, type Scope } from '../installation/entry-target.js';
import type { InstallDeps } from '../installation/install-request.js';

/** A receipt, and the file that was written to. */
export interface LocatedReceipt {
  readonly receipt: Receipt;
  readonly realFile: string;
}

/** Present state of one entry. */
export interface PresentEntry {
  readonly target: EntryTarget;
  readonly written: Receipt | undefined;
  readonly current: ConfigEntry | undefined;
}

/** Entries that AgentTools wrote, and notes on unreadable records. */
export async function allReceipts(
  receipts: Receipts,
): Promise<{ readonly known: readonly LocatedReceipt[]; readonly notes: readonly string[] }> {
  const { records, notes } = await reconcileRecords(receipts);
  const known = records.flatMap(({ receipts: own, realFile }) =>
    own.map((receipt) => ({ receipt, realFile })),
  );
  return { known, notes };
}

/**
 * Reads the present state of an entry.
 * @throws AgentToolsError if the client has no such file or key, or the file cannot be read
 */
export async function presentEntry(
  { client, key, scope }: { readonly client: WritableClient; readonly key: string; readonly scope: Scope },
  known: readonly LocatedReceipt[],
  { surroundings }: Pick<InstallDeps, 'surroundings'>,
): Promise<PresentEntry> {
  checkKey(client, key);
  const target = await locateEntryTarget(client, scope, { key, surroundings });
  const { file, format, layout } = target;
  const place = { format, container: layout.container, key };
  try {
    const { text } = await readTextFile(file);
    const realFile = await followLinks(file);
    const own = known.filter((one) => one.realFile === realFile && one.receipt.client === client.id);
    const written =
      own.find(({ receipt }) => slotKey(receipt) === slotKey(place)) ??
      own.find(({ receipt }) => receipt.key === key);
    return { target, written: written?.receipt, current: await readEntry(text, place) };
  } catch (error) {
    throw await toUserError(error, file);
  }
}

/** Reads the entry of a receipt; undefined if it is gone. @throws AgentToolsError */
export async function entryOfReceipt({
  receipt,
  realFile,
}: LocatedReceipt): Promise<ConfigEntry | undefined> {
  try {
    const { text } = await readTextFile(realFile);
    return await readEntry(text, await currentLocation(receipt, text));
  } catch (error) {
    throw await toUserError(error, realFile);
  }
}
