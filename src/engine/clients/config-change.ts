import { realpath, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ConcurrentChangeError, FileAccessError } from '../base/files/file-error.js';
import { withLock } from '../base/files/lock.js';
import { replaceTextFile } from '../base/files/replace.js';
import { checkWritable, readTextFile, type TextFile } from '../base/files/text-file.js';
import { readEntry } from './edit/entries.js';
import { isIntact } from './edit/merge-entry.js';
import type { ConfigState, Plan } from './ledger/config-plan.js';
import { entryLocator, slotKey } from './ledger/slot.js';
import type { FileRecord, Receipt, RecordBody } from './receipt.js';
import { hashText, type Receipts } from './receipts.js';

/** What was done to one config file, or would be. */
export interface ConfigChange {
  readonly file: string;
  /** Null: there is no file. */
  readonly before: string | null;
  readonly after: string | null;
  readonly outcome: Plan['outcome'];
  /** What was known to be in the file before. */
  readonly known: readonly Receipt[];
}

export interface ConfigChangeOptions {
  readonly receipts: Receipts;
  /** Plans and writes nothing. */
  readonly dryRun: boolean;
}

/** How often a file that somebody else keeps writing to is read again. */
const maxWriteAttempts = 5;

/**
 * Changes one config file by a plan, as one among others who may do the same: locked, written as a whole, read back.
 * What we remember is written first as an intent, so that a process that dies on the way leaves nothing unknown.
 * @throws AgentToolsError, ConfigError and FileRefusal; the file is then as it was.
 */
export async function changeConfig(
  file: string,
  plan: (state: ConfigState) => Promise<Plan>,
  { receipts, dryRun }: ConfigChangeOptions,
): Promise<ConfigChange> {
  if (dryRun) {
    const before = await readTextFile(file);
    const { remembered } = await findRecord(receipts, before.realFile);
    const known = await reconcileRecord(remembered, before.text);
    const planned = await plan({ text: before.text, record: known });
    if (planned.text !== before.text) await checkWritable(before);
    return buildConfigChange(before, planned, known);
  }
  for (let attempt = 1; ; attempt++) {
    const { realFile } = await readTextFile(file);
    try {
      return await withLock(receipts.lockFileOf(realFile), () =>
        attemptChange({ file, realFile }, plan, receipts),
      );
    } catch (error) {
      if (!(error instanceof ConcurrentChangeError) || attempt === maxWriteAttempts) throw error;
    }
  }
}

/** @throws ChangedMeanwhile if somebody else wrote to the file, or turned a link to it, on the way. */
async function attemptChange(
  { file, realFile }: { readonly file: string; readonly realFile: string },
  plan: (state: ConfigState) => Promise<Plan>,
  receipts: Receipts,
): Promise<ConfigChange> {
  const before = await readTextFile(file);
  if (before.realFile !== realFile) throw new ConcurrentChangeError(file);
  const { remembered, moved } = await findRecord(receipts, realFile);
  const known = await reconcileRecord(remembered, before.text);
  const planned = await plan({ text: before.text, record: known });
  if (planned.text === before.text) {
    if (planned.record !== known || remembered.intent || moved) await receipts.write(planned.record);
    await forget(receipts, moved);
    return buildConfigChange(before, planned, known);
  }
  await checkWritable(before);
  if (before.text !== null) await receipts.keepPrevious(realFile, before.text);
  const madeFolder = before.text === null ? await firstMissingFolder(realFile) : known.madeFolder;
  const next =
    planned.record.receipts.length > 0 && madeFolder ? { ...planned.record, madeFolder } : planned.record;
  const hash = planned.text === null ? null : hashText(planned.text);
  const beforeHash = before.text === null ? null : hashText(before.text);
  await receipts.write({ ...known, intent: { beforeHash, hash, record: next } });
  await forget(receipts, moved);
  try {
    await replaceTextFile(before, planned.text);
  } catch (error) {
    // What the file says then decides what became of the intent. An intent that stays and did not come true is ignored.
    if (!(error instanceof FileAccessError && error.reason === 'not-kept'))
      await receipts.write(known).catch(() => {});
    throw error;
  }
  // That the intent came true shows without this.
  await receipts.write(next).catch(() => {});
  if (planned.text === null && madeFolder) await removeEmptyFolders(path.dirname(realFile), madeFolder);
  return buildConfigChange(before, planned, known);
}

/**
 * What we did to a file, also when it was moved and a link put in its place, as those do who keep their settings
 * elsewhere: then it is remembered under the old path, `moved`.
 */
async function findRecord(
  receipts: Receipts,
  realFile: string,
): Promise<{ readonly remembered: FileRecord; readonly moved?: FileRecord }> {
  const remembered = await receipts.read(realFile);
  if (remembered.receipts.length > 0 || remembered.intent) return { remembered };
  for (const record of (await receipts.all()).records) {
    if (record.realFile === realFile) continue;
    const now = await realpath(record.realFile).catch(() => undefined);
    if (now === realFile) return { remembered: { ...record, realFile }, moved: record };
  }
  return { remembered };
}

/** Takes what is remembered under a path that is only a link now out of our memory. */
async function forget(receipts: Receipts, moved: FileRecord | undefined): Promise<void> {
  if (!moved) return;
  const { version, realFile } = moved;
  await receipts.write({ version, realFile, receipts: [], steps: [], made: [] });
}

/** The topmost folder that has to be made for a file; undefined if its folder is there. */
async function firstMissingFolder(file: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let folder = path.dirname(file); !(await folderExists(folder)); folder = path.dirname(folder))
    missing = folder;
  return missing;
}

async function folderExists(folder: string): Promise<boolean> {
  return await stat(folder).then(
    () => true,
    () => false,
  );
}

/** A client whose folder is there looks installed, so the folders that were made for it go with its file. */
async function removeEmptyFolders(folder: string, topmost: string): Promise<void> {
  for (let empty = folder; empty.startsWith(topmost); empty = path.dirname(empty)) {
    try {
      await rmdir(empty);
    } catch {
      return;
    }
  }
}

/**
 * What is so of a record whose writer may have died: its intent came true if the file is what it was to become, or, when
 * somebody has written since, holds what it was to hold and nothing that it was to lose.
 */
export async function reconcileRecord(
  { intent, ...record }: FileRecord,
  text: string | null,
): Promise<FileRecord> {
  if (!intent) return record;
  const hash = text === null ? null : hashText(text);
  if (hash === intent.hash) return { ...record, ...intent.record };
  if (hash === intent.beforeHash) return record;
  return (await hasAddedEntries(text, intent.record, record)) ? { ...record, ...intent.record } : record;
}

/** Every record that can be read, each settled by what its file says, and a sentence about each one that cannot. */
export async function reconcileRecords(
  receipts: Receipts,
): Promise<{ readonly records: readonly FileRecord[]; readonly notes: readonly string[] }> {
  const { records, notes } = await receipts.all();
  const settled = records.map(async (record) => {
    if (!record.intent) return record;
    const file = await readTextFile(record.realFile).catch(() => undefined);
    return file ? await reconcileRecord(record, file.text) : record;
  });
  return { records: await Promise.all(settled), notes };
}

/** Whether a file holds every entry that one record has and another has not, without what only the other one has. */
async function hasAddedEntries(text: string | null, wanted: RecordBody, known: RecordBody): Promise<boolean> {
  const fresh = wanted.receipts.filter(
    (one) => !known.receipts.some((other) => isDeepStrictEqual(one, other)),
  );
  if (text === null || fresh.length === 0) return false;
  for (const receipt of fresh) {
    const entry = await readEntry(text, entryLocator(receipt)).catch(() => undefined);
    if (!entry || !isIntact(entry, receipt.entry)) return false;
    const old = known.receipts.find((one) => slotKey(one) === slotKey(receipt));
    if (old && isIntact(entry, old.entry) && !isIntact(receipt.entry, old.entry)) return false;
  }
  return true;
}

function buildConfigChange(
  { file, text }: TextFile,
  { text: after, outcome }: Plan,
  { receipts }: FileRecord,
): ConfigChange {
  return { file, before: text, after, outcome, known: receipts };
}
