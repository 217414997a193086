import { isDeepStrictEqual } from 'node:util';
import { clientName } from '../../../engine/clients/client-name.js';
import type { CommandChanges } from '../../../engine/clients/command-history.js';
import type { FileChange } from '../../../engine/clients/file-change.js';
import type { Receipt } from '../../../engine/clients/receipt.js';

/** An entry that a change wrote or removed. Null: the entry had no receipt. */
interface ChangedEntry {
  readonly client: string | null;
  readonly scope: Receipt['scope'] | null;
  readonly key: string;
  readonly server: string | null;
}

/** Returns the entries of a change, each once. Without values: they may hold secrets. */
export function changedEntries({
  receipts: { inserted, removed },
  foreign,
}: FileChange): readonly ChangedEntry[] {
  // The one changed part of a list of receipts may contain equal ones.
  const isIn = (list: readonly Receipt[], receipt: Receipt) =>
    list.some((one) => isDeepStrictEqual(one, receipt));
  const touched = [
    ...inserted.filter((one) => !isIn(removed, one)),
    ...removed.filter((one) => !isIn(inserted, one)),
  ];
  const entries = touched.map(({ client, scope, key, server }) => ({
    client,
    scope,
    key,
    server,
  }));
  const isFirst = ({ client, key }: ChangedEntry, index: number) =>
    entries.findIndex((one) => one.client === client && one.key === key) === index;
  const other = foreign ? [{ client: null, scope: null, key: foreign.place.key, server: null }] : [];
  return [...entries.filter(isFirst), ...other];
}

/** Keys and clients of a change for a sentence. A change of other text has neither: `doctor` repairs foreign entries. */
export function entryNames(change: FileChange): { readonly keys: string; readonly client: string } {
  const entries = changedEntries(change);
  if (entries.length === 0) return { keys: 'text', client: 'the file' };
  const join = (names: readonly string[]) => [...new Set(names)].join(', ');
  return {
    keys: join(entries.map(({ key }) => `"${key}"`)),
    client: join(entries.map(({ client }) => (client === null ? 'the file' : clientName(client)))),
  };
}

/** Time of a command in UTC, to the second. */
export function commandTime({ time }: Pick<CommandChanges, 'time'>): string {
  return `${time.slice(0, 19).replace('T', ' ')} UTC`;
}
