import { realpath, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ConcurrentChangeError, FileAccessError } from '../base/files/file-error.js';
import { withLock } from '../base/files/lock.js';
import { replaceTextFile } from '../base/files/replace.js';
import { checkWritable, readTextFile, requireOneName, type TextFile } from '../base/files/text-file.js';
import { readEntry } from './edit/entries.js';
import { isIntact } from './edit/merge-entry.js';
import { spliceBetween } from './edit/splice.js';
import type { FileChange, RecordedChange } from './file-change.js';
import type { History } from './history.js';
import type { ConfigState, Plan } from './ledger/config-plan.js';
import { changeBetween } from './ledger/list-change.js';
import { entryLocator, slotKey } from './ledger/slot.js';
import type { FileRecord, Receipt, RecordBody } from './receipt.js';
import { hashText, type Receipts } from './receipts.js';

/** Completed or planned change of one config file. */
export interface ConfigChange {
  readonly file: string;
  /** Null: no file. */
  readonly before: string | null;
  readonly after: string | null;
  readonly outcome: Plan['outcome'];
  /** Receipts of the file before the change. */
  readonly known: readonly Receipt[];
}

export interface ConfigChangeOptions {
  readonly receipts: Receipts;
  /** True: plans without writing. */
  readonly dryRun: boolean;
  /** Planned states of files. A dry run plans on them, and adds its own. Default: the files themselves. */
  readonly drafts?: Drafts | undefined;
  /** Name of the change that this one takes back. Default: none. */
  readonly undoes?: string;
}

/** Planned states of config files, by real path. */
export type Drafts = Map<string, ConfigState>;

/** Maximum number of attempts if another program keeps writing to the file. */
const maxWriteAttempts = 5;

/**
 * Changes one config file by a plan. Other programs may write to it too: the file is locked, written as a
 * whole and read back. The record gets an intent first, so that a crash leaves no unknown entry.
 * @throws AgentToolsError, ConfigError and FileAccessError; the file is then as it was, unless the
 * reason is `not-kept`.
 */
export async function changeConfig(
  file: string,
  plan: (state: ConfigState) => Promise<Plan>,
  { receipts, dryRun, drafts, undoes }: ConfigChangeOptions,
): Promise<ConfigChange> {
  if (dryRun) {
    const read = await readTextFile(file);
    const { remembered } = await findRecord(receipts, read.realFile);
    const { text, record: known } = drafts?.get(read.realFile) ?? {
      text: read.text,
      record: await reconcileRecord(remembered, read.text),
    };
    const planned = await plan({ text, record: known });
    if (planned.text !== text) await checkReplaceable(read);
    drafts?.set(read.realFile, planned);
    return buildConfigChange({ ...read, text }, planned, known);
  }
  for (let attempt = 1; ; attempt++) {
    const { realFile } = await readTextFile(file);
    try {
      return await withLock(receipts.lockFileOf(realFile), () =>
        attemptChange({ file, realFile, undoes }, plan, receipts),
      );
    } catch (error) {
      if (!(error instanceof ConcurrentChangeError) || attempt === maxWriteAttempts) throw error;
    }
  }
}

interface ChangeTarget {
  readonly undoes: string | undefined;
  readonly file: string;
  readonly realFile: string;
}

/** @throws ConcurrentChangeError if another program wrote to the file, or changed a link to it. */
async function attemptChange(
  { file, realFile, undoes }: ChangeTarget,
  plan: (state: ConfigState) => Promise<Plan>,
  receipts: Receipts,
): Promise<ConfigChange> {
  const before = await readTextFile(file);
  if (before.realFile !== realFile) throw new ConcurrentChangeError(file);
  const { remembered, moved } = await findRecord(receipts, realFile);
  const known = await reconcileRecord(remembered, before.text);
  await settleChange(remembered, before.text, receipts);
  const planned = await plan({ text: before.text, record: known });
  const { history } = receipts;
  if (planned.text === before.text) {
    const described = describeChange(before, { known, planned, next: planned.record, undoes }, history);
    const { inserted, removed } = described.receipts;
    if (undoes !== undefined || inserted.length > 0 || removed.length > 0)
      await history.write(await history.nextName(), described);
    if (planned.record !== known || remembered.intent || moved) await receipts.write(planned.record);
    await forget(receipts, moved);
    return buildConfigChange(before, planned, known);
  }
  await checkReplaceable(before);
  if (before.text !== null) await receipts.keepPrevious(realFile, before.text);
  const madeFolder = before.text === null ? await firstMissingFolder(realFile) : known.madeFolder;
  const next =
    planned.record.receipts.length > 0 && madeFolder ? { ...planned.record, madeFolder } : planned.record;
  const change = await history.nextName();
  const described = describeChange(before, { known, planned, next, undoes }, history);
  const { beforeHash, afterHash: hash } = described;
  await receipts.write({ ...known, intent: { beforeHash, hash, record: next, change } });
  await forget(receipts, moved);
  try {
    await history.write(change, described);
    await replaceTextFile(before, planned.text);
  } catch (error) {
    // After `not-kept`, the intent stays: the file content decides later if it was completed. An intent that
    // was not completed is ignored.
    if (!(error instanceof FileAccessError && error.reason === 'not-kept')) {
      await history.remove(change).catch(() => {});
      await receipts.write(known).catch(() => {});
    }
    throw error;
  }
  // Best effort: the hash proves the write.
  await receipts.write(next).catch(() => {});
  if (planned.text === null && madeFolder) await removeEmptyFolders(path.dirname(realFile), madeFolder);
  return buildConfigChange(before, planned, known);
}

/** @throws FileAccessError */
async function checkReplaceable(file: TextFile): Promise<void> {
  requireOneName(file);
  await checkWritable(file);
}

interface PlannedChange {
  readonly undoes: string | undefined;
  readonly known: FileRecord;
  readonly planned: Plan;
  /** The record after the change. */
  readonly next: FileRecord;
}

function describeChange(
  { file, realFile, text }: TextFile,
  { known, planned, next, undoes }: PlannedChange,
  { command }: History,
): FileChange {
  const [owner] = [...next.receipts, ...known.receipts];
  return {
    version: 1,
    command,
    time: new Date().toISOString(),
    file: file === realFile && owner ? owner.file : file,
    realFile,
    outcome: planned.outcome,
    beforeHash: text === null ? null : hashText(text),
    afterHash: planned.text === null ? null : hashText(planned.text),
    splice: spliceBetween(text ?? '', planned.text ?? ''),
    receipts: changeBetween(known.receipts, next.receipts),
    steps: changeBetween(known.steps, next.steps),
    made: changeBetween(known.made, next.made),
    ...(known.madeFolder !== undefined && { madeFolder: known.madeFolder }),
    ...(planned.foreign && { foreign: planned.foreign }),
    ...(undoes !== undefined && { undoes }),
  };
}

/** Removes the change of an intent that was not completed from the history. */
async function settleChange(
  { intent, ...record }: FileRecord,
  text: string | null,
  { history }: Receipts,
): Promise<void> {
  if (intent?.change !== undefined && !(await isCompleted(intent, record, text)))
    await history.remove(intent.change);
}

/** Returns the changes that were made, the oldest first. Leaves out one that a crash prevented. */
export async function readHistory(receipts: Receipts): ReturnType<History['all']> {
  const { changes, notes } = await receipts.history.all();
  const made: RecordedChange[] = [];
  for (const change of changes) {
    const { intent, ...record } = await receipts.read(change.realFile).catch(() => noRecord);
    if (intent?.change === change.name) {
      const file = await readTextFile(change.realFile).catch(() => undefined);
      if (file && !(await isCompleted(intent, record, file.text))) continue;
    }
    made.push(change);
  }
  return { changes: made, notes };
}

const noRecord: FileRecord = { version: 1, realFile: '', receipts: [], steps: [], made: [] };

/**
 * Returns the record of a file. Users may move the file and leave a link in its place: the record is then
 * found under the old path, `moved`.
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

/** Deletes the record under a path that is only a link now. */
async function forget(receipts: Receipts, moved: FileRecord | undefined): Promise<void> {
  if (!moved) return;
  const { version, realFile } = moved;
  await receipts.write({ version, realFile, receipts: [], steps: [], made: [] });
}

/** Topmost folder that must be created for a file; undefined if its folder exists. */
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

/** Removes the folders that were created for a file: a client with a folder looks installed. */
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
 * Resolves the intent of a record after a possible crash. The intent was completed if the file has the
 * intended hash. If another program has written since, it was completed if the file holds the added entries
 * and none that they replaced.
 */
export async function reconcileRecord(
  { intent, ...record }: FileRecord,
  text: string | null,
): Promise<FileRecord> {
  if (!intent || !(await isCompleted(intent, record, text))) return record;
  return { ...record, ...intent.record };
}

async function isCompleted(
  intent: NonNullable<FileRecord['intent']>,
  record: RecordBody,
  text: string | null,
): Promise<boolean> {
  const hash = text === null ? null : hashText(text);
  if (hash === intent.hash) return true;
  return hash !== intent.beforeHash && (await hasAddedEntries(text, intent.record, record));
}

/** Returns every readable record, reconciled with its file, and a note for each unreadable record. */
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

/** True if a file holds every entry that only `wanted` has, and no entry of `known` that these replaced. */
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
