import { existsSync } from 'node:fs';
import path from 'node:path';
import { followLinks, readTextFile } from '../base/files/text-file.js';
import type { Client } from '../clients/client.js';
import { reconcileRecords } from '../clients/config-change.js';
import { configValueAt } from '../clients/edit/config-path.js';
import type { ConfigEntry } from '../clients/edit/editor.js';
import { readConfigDocument, readEntry } from '../clients/edit/entries.js';
import { isIntact, isMap } from '../clients/edit/merge-entry.js';
import { currentLocation } from '../clients/locate-config.js';
import type { Receipt } from '../clients/receipt.js';
import type { Receipts } from '../clients/receipts.js';
import { Workspace, type WorkspaceOptions } from '../extension/workspace.js';
import { hasApps } from './apps-setting.js';
import { toUserError } from './config-fault.js';

/** Present state of an entry that AgentTools wrote. */
export type InstalledState = 'intact' | 'edited' | 'gone' | 'server missing';

export interface InstalledEntry {
  readonly receipt: Receipt;
  readonly state: InstalledState;
  /** Reason, if the state alone does not explain it. */
  readonly reason?: string;
  /** False if the present entry switches UI apps off. Null: it is gone, or does not start AgentTools. */
  readonly apps: boolean | null;
}

export interface InstalledDeps {
  readonly receipts: Receipts;
  readonly workspace: WorkspaceOptions;
  readonly clients: readonly Client[];
}

/**
 * Returns the entries that AgentTools wrote, file by file, with their state. Starts nothing and runs no
 * extension code.
 */
export async function listInstalled({ receipts, workspace, clients }: InstalledDeps): Promise<{
  readonly installed: readonly InstalledEntry[];
  readonly notes: readonly string[];
}> {
  const { records, notes } = await reconcileRecords(receipts);
  const installed: InstalledEntry[] = [];
  for (const { realFile, receipts: known } of records) {
    // Files are large, and have many entries: each is read and parsed once.
    const texts = new Map<string, ReturnType<typeof textFor>>();
    const entryIn = entryReader();
    for (const receipt of known) {
      const reading = texts.get(receipt.file) ?? textFor(receipt, realFile);
      texts.set(receipt.file, reading);
      const read = await reading;
      if ('reason' in read) installed.push({ receipt, state: 'gone', reason: read.reason, apps: null });
      else {
        const entry = await entryIn(receipt, read.text).catch((error: Error) => error);
        installed.push({ receipt, ...(await entryState(receipt, entry, { workspace, clients })) });
      }
    }
  }
  return { installed, notes };
}

/** Returns a function that reads entries of the same text with one parse. It rejects for a malformed text. */
function entryReader(): (receipt: Receipt, text: string | null) => Promise<ConfigEntry | undefined> {
  const documents = new Map<string, Promise<unknown>>();
  return async (receipt, text) => {
    const { container, format, key } = receipt;
    if (text !== null && container.shape === 'map') {
      const name = `${format} ${receipt.file}`;
      const document = documents.get(name) ?? readConfigDocument(text, format);
      documents.set(name, document);
      const entry = configValueAt(await document, [...container.path, key]);
      if (isMap(entry)) return entry;
    }
    return await readEntry(text, await currentLocation(receipt, text));
  };
}

/** True if an entry of AgentTools is in the file that its client reads. */
export async function isEntryPresent(receipt: Receipt, realFile: string): Promise<boolean> {
  const read = await textFor(receipt, realFile);
  if ('reason' in read) return false;
  const entry = await currentLocation(receipt, read.text)
    .then((place) => readEntry(read.text, place))
    .catch(() => undefined);
  return entry !== undefined;
}

/**
 * Returns the text of the file that the client reads, or the reason why it is not the file that was written.
 */
async function textFor(
  { file }: Receipt,
  written: string,
): Promise<{ readonly text: string | null } | { readonly reason: string }> {
  try {
    const { realFile, text } = await readTextFile(file);
    const isMoved = realFile !== written && (await followLinks(written)) !== realFile;
    return isMoved
      ? { reason: `${file} pointed to ${written} when the entry was written, and the entry is there.` }
      : { text };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

async function entryState(
  receipt: Receipt,
  entry: ConfigEntry | Error | undefined,
  { workspace, clients }: Pick<InstalledDeps, 'workspace' | 'clients'>,
): Promise<Omit<InstalledEntry, 'receipt'>> {
  if (entry instanceof Error) {
    const { message } = (await toUserError(entry, receipt.file)) as Error;
    return { state: 'edited', reason: message, apps: null };
  }
  if (!entry) return { state: 'gone', apps: null };
  const apps = hasApps({ ...receipt, entry });
  if (!isIntact(entry, receipt.entry)) return { state: 'edited', apps };
  const client = clients.find(({ id }) => id === receipt.client);
  const launch = client?.manual === undefined ? client?.launchOf(receipt.entry) : undefined;
  const absent = [launch?.command, launch?.args[0]].find(
    (word) => word && path.isAbsolute(word) && !existsSync(word),
  );
  if (absent !== undefined) return { state: 'server missing', reason: `${absent} no longer exists.`, apps };
  if (receipt.existing) return { state: 'intact', apps };
  const { project } = receipt;
  const place =
    project === undefined ? { ...workspace, ignoreProject: true } : { ...workspace, cwd: project };
  try {
    await new Workspace(place).findServer(receipt.argument);
    return { state: 'intact', apps };
  } catch (error) {
    return { state: 'server missing', reason: (error as Error).message, apps };
  }
}
