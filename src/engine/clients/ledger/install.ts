import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { AgentToolsError } from '../../base/errors.js';
import { followLinks } from '../../base/files/text-file.js';
import { shellWord } from '../../base/shell-word.js';
import type { ConfigEntry } from '../edit/editor.js';
import { type EntryLocator, holdsConfigValue, putEntry, readEntry } from '../edit/entries.js';
import { isIntact, launchPart, mergeEntry, sameValue } from '../edit/merge-entry.js';
import type { FileRecord, Receipt, RecordedEdit } from '../receipt.js';
import { missingAdditions, withoutAdditions } from './additions.js';
import type { ConfigState, Plan } from './config-plan.js';
import { entryLocator, recordEdit, shadowSteps, slotKey, templateField } from './slot.js';

export interface DesiredEntry {
  readonly receipt: Receipt;
  readonly place: EntryLocator;
  readonly force: boolean;
  /** Server of AgentTools that the entry updates. Default: the same server, or one of the same family. */
  readonly former?: string;
}

/**
 * Plans to write an entry. Values that the user added to an entry of AgentTools stay.
 * @throws AgentToolsError if the key is taken, or the entry was edited by hand, unless `force`; if a link leads out of the
 * project; ConfigError.
 */
export async function planInstall(
  state: ConfigState,
  { receipt, place, force, former: updated }: DesiredEntry,
): Promise<Plan> {
  const { text, record } = state;
  await requireInProject(receipt, record.realFile);
  const slot = slotKey(receipt);
  const current = await readEntry(text, place);
  const owners = record.receipts.filter((one) => slotKey(one) === slot);
  const known = owners.find((one) => one.client === receipt.client);
  const companion = owners.find((one) => one.client !== receipt.client);
  const owner = known ?? companion;
  const takes = findReplaced(current, owner, { receipt, updated });
  const entry = companion && takes === 'ours' ? sharedEntry(companion.entry, receipt.entry) : receipt.entry;
  const previous = takes === 'ours' ? owner?.entry : takes === 'nothing' ? entry : undefined;
  const next = current ? mergeEntry(current, entry, previous) : entry;
  const base = await withoutAdditions(text, record, receipt, {
    gone: owner?.additions,
    kept: receipt.additions,
  });
  const extras = await missingAdditions(base, receipt, place);
  const after = await putEntry(base, place, next, { ...templateField(receipt), extras });
  // Errors that `--force` cannot avoid come first, such as a duplicate key.
  if (current !== undefined && !force) requireReplaceable(current, owner, { receipt, updated });

  const former = current && takes === 'theirs' ? { replaced: current, displaced: owners } : owner;
  const confirmed = { ...keepKnownScope(receipt, known), entry, ...restorableFields(former ?? {}) };
  if (after === text && known && isSameReceipt(known, confirmed)) return { ...state, outcome: 'unchanged' };

  const companions = takes === 'theirs' ? [] : owners.filter((one) => one.client !== receipt.client);
  const { server, reference, argument, variables } = receipt;
  const shared = companions.map((one) => ({ ...one, entry, server, reference, argument, variables }));
  const others = await otherReceipts(text, record, receipt);
  // At their former place: the history has the one changed part of the list.
  const at = owner
    ? record.receipts.slice(0, record.receipts.indexOf(owner)).filter((one) => others.includes(one)).length
    : others.length;
  const steps = stepsBefore(record.steps, slot, { current, takes });
  return {
    text: after,
    record: {
      ...record,
      receipts: others.toSpliced(at, 0, ...shared, confirmed),
      steps: after === text ? steps : [...steps, recordEdit(slot, text, after)],
      made: await listMadeContainers(text, record, receipt),
    },
    outcome: installOutcome({
      current,
      takes,
      isChanged: after !== text,
      isKnown: known !== undefined,
      isOther: owner !== undefined && owner.server !== server,
    }),
  };
}

/** The files of a project may be links, but only to files of the project. @throws AgentToolsError */
async function requireInProject({ project, file, client }: Receipt, realFile: string): Promise<void> {
  if (project === undefined || realFile === path.resolve(file)) return;
  const inside = path.relative(await followLinks(project), realFile);
  if (!path.isAbsolute(inside) && inside.split(path.sep)[0] !== '..') return;
  const command = `--config ${shellWord(realFile)} --client ${client}`;
  const message = `${file} is a link, or in one, that leads out of the project to ${realFile}. To write that file, use ${command} instead of --project. To keep the entry in the project, replace the link with a file or folder.`;
  throw new AgentToolsError('refused', message);
}

/** Receipts of other entries. Leaves out a former location of this entry if the client has moved it. */
async function otherReceipts(
  text: string | null,
  { receipts }: FileRecord,
  receipt: Receipt,
): Promise<readonly Receipt[]> {
  const others = receipts.filter((one) => slotKey(one) !== slotKey(receipt));
  const gone = await Promise.all(
    others.map(async (one) => {
      const isTwin = one.client === receipt.client && one.key === receipt.key;
      return isTwin && (await readEntry(text, entryLocator(one))) === undefined;
    }),
  );
  return others.filter((_, index) => !gone[index]);
}

/**
 * The entry that an install replaces. `nothing`: no entry, or an equal one. `ours`: one of the same server or
 * family. `theirs`: any other; uninstall restores it.
 */
type ReplacedEntry = 'nothing' | 'ours' | 'theirs';

function findReplaced(
  current: ConfigEntry | undefined,
  owner: Receipt | undefined,
  wanted: WantedServer,
): ReplacedEntry {
  const { receipt } = wanted;
  if (current === undefined) return 'nothing';
  if (owner) return mayReplace(owner, wanted) ? 'ours' : 'theirs';
  return isIntact(current, receipt.entry) ? 'nothing' : 'theirs';
}

/** The entry to write. `updated`: the server that it updates. */
interface WantedServer {
  readonly receipt: Receipt;
  readonly updated: string | undefined;
}

/** True if an entry of AgentTools may be replaced without `force`. */
function mayReplace({ server, family }: Receipt, { receipt, updated }: WantedServer): boolean {
  return [receipt.server, updated].includes(server) || (family !== undefined && family === receipt.family);
}

function installOutcome({
  current,
  takes,
  isChanged,
  isKnown,
  isOther,
}: {
  readonly current: ConfigEntry | undefined;
  readonly takes: ReplacedEntry;
  readonly isChanged: boolean;
  readonly isKnown: boolean;
  /** True if the entry belonged to another server. */
  readonly isOther: boolean;
}): Plan['outcome'] {
  if (current === undefined) return 'added';
  if (takes === 'theirs') return 'replaced';
  if (isOther) return 'exchanged';
  if (isChanged) return 'updated';
  return isKnown ? 'unchanged' : 'adopted';
}

/** Fields of the entry that an uninstall restores. */
function restorableFields({
  replaced,
  displaced = [],
}: Partial<Receipt>): Pick<Receipt, 'replaced' | 'displaced'> {
  return { ...(replaced && { replaced }), ...(displaced.length > 0 && { displaced }) };
}

/**
 * Drops the steps of a missing entry: they cannot be undone. Shadows the steps of an entry that an uninstall
 * restores.
 */
function stepsBefore(
  steps: readonly RecordedEdit[],
  slot: string,
  { current, takes }: { readonly current: ConfigEntry | undefined; readonly takes: ReplacedEntry },
): readonly RecordedEdit[] {
  if (current === undefined) return steps.filter((step) => step.slot !== slot);
  return takes === 'theirs' ? shadowSteps(steps, slot) : steps;
}

/** Keeps the known scope, user or project, of a file that is now given by its path. */
function keepKnownScope(receipt: Receipt, known: Receipt | undefined): Receipt {
  if (receipt.scope !== 'config' || !known) return receipt;
  const { scope, file, project } = known;
  return { ...receipt, scope, file, ...(project !== undefined && { project }) };
}

/**
 * Maps and lists that are missing before this entry is written, and those that were missing before earlier
 * ones.
 */
async function listMadeContainers(
  text: string | null,
  { made }: FileRecord,
  receipt: Receipt,
): Promise<readonly string[]> {
  const names = new Set(made);
  for (const path of [receipt.container.path, ...(receipt.additions ?? []).map(({ list }) => list)])
    if (!(await holdsConfigValue(text, receipt.format, path))) names.add(JSON.stringify(path));
  return [...names];
}

/** @throws AgentToolsError with the owner of the key and a way out. */
function requireReplaceable(
  current: ConfigEntry,
  owner: Receipt | undefined,
  { receipt, updated }: WantedServer,
): void {
  const { key, file, server } = receipt;
  const refuse = (message: string) => new AgentToolsError('refused', message);
  const wayOut = 'Give yours another key with --name, or replace it with --force.';
  if (!owner) {
    if (isIntact(current, receipt.entry)) return;
    throw refuse(`${file} has an entry "${key}" that AgentTools did not write. ${wayOut}`);
  }
  if (!mayReplace(owner, { receipt, updated }))
    throw refuse(`The entry "${key}" in ${file} starts another server, ${owner.server}. ${wayOut}`);
  if (!isIntact(current, owner.entry)) {
    const ways = 'Overwrite the edit with --force, or give yours another key with --name.';
    throw refuse(`The entry "${key}" in ${file} was edited by hand since it was written. ${ways}`);
  }
  if (owner.client === receipt.client) return;
  if (owner.server !== server) {
    const ways = 'Give yours another key with --name, or change it for both with --force.';
    throw refuse(
      `The entry "${key}" in ${file} is also ${owner.client}'s, and starts ${owner.server}. ${ways}`,
    );
  }
  if (!hasSameVariables(owner, receipt)) {
    const ways = 'Give yours another key with --name, or change it for both with --force.';
    throw refuse(
      `The entry "${key}" in ${file} is also ${owner.client}'s, with other variables or headers. ${ways}`,
    );
  }
}

/** True if the entries of two clients set the same variables or headers to the same values. */
function hasSameVariables(one: Receipt, other: Receipt): boolean {
  const { command: _, args: __, cmd: ___, ...variables } = launchPart(one.entry);
  const { command: ____, args: _____, cmd: ______, ...others } = launchPart(other.entry);
  return sameValue(variables, others);
}

/** Two clients read one file: the entry keeps the first client's form and gets the second one's launch. */
function sharedEntry(theirs: ConfigEntry, ours: ConfigEntry): ConfigEntry {
  return { ...theirs, ...launchPart(ours) };
}

/** Compares receipts without their time. */
function isSameReceipt(one: Receipt, other: Receipt): boolean {
  return isDeepStrictEqual({ ...one, time: '' }, { ...other, time: '' });
}
