import { isDeepStrictEqual } from 'node:util';
import { AgentToolsError } from '../errors.js';
import type { ConfigPath, ConfigValue, Entry } from './edit/editor.js';
import { dataIn, type EntryPlace, putEntry, readEntry, removeEntry, removeValue } from './edit/entries.js';
import { isIntact, launchPart, mergeEntry, sameValue } from './edit/merge.js';
import { spliceBetween, undoMovedSplice, undoSplice } from './edit/splice.js';
import { type FileRecord, hashOf, type Receipt, type Step } from './receipts.js';

/** One config file, as it is and as we remember it. */
export interface ConfigState {
  /** Null: there is no file. */
  readonly text: string | null;
  readonly record: FileRecord;
}

/** An item that an entry needs elsewhere in its file, such as the question a client asks for a secret. */
export interface Addition {
  readonly list: readonly string[];
  readonly item: Entry;
}

/** What the file and our memory of it are to become. */
export interface Plan extends ConfigState {
  readonly outcome:
    | 'added'
    | 'updated'
    | 'adopted'
    | 'replaced'
    | 'unchanged'
    | 'removed'
    | 'shared'
    | 'gone';
}

export interface Wanted {
  readonly receipt: Receipt;
  readonly place: EntryPlace;
  readonly force: boolean;
}

/**
 * Plans to write an entry. What the user added to an entry of ours stays.
 * @throws AgentToolsError if the key is taken, or our entry was edited by hand, unless `force`; ConfigError.
 */
export async function planInstall(state: ConfigState, { receipt, place, force }: Wanted): Promise<Plan> {
  const { text, record } = state;
  const slot = slotOf(receipt);
  const current = await readEntry(text, place);
  const owners = record.receipts.filter((one) => slotOf(one) === slot);
  const known = owners.find((one) => one.client === receipt.client);
  const companion = owners.find((one) => one.client !== receipt.client);
  const owner = known ?? companion;
  if (current !== undefined && !force) requireOurs(current, owner, receipt);

  const takes = whatItTakes(current, owner, receipt);
  const entry = companion && takes === 'ours' ? sharedEntry(companion.entry, receipt.entry) : receipt.entry;
  const previous = takes === 'ours' ? owner?.entry : takes === 'nothing' ? entry : undefined;
  const next = current ? mergeEntry(current, entry, previous) : entry;
  const base = await withoutAdditions(text, record, receipt, {
    gone: owner?.additions,
    kept: receipt.additions,
  });
  const extras = await extrasFor(base, receipt, place);
  const after = await putEntry(base, place, next, { ...templateOf(receipt), extras });

  const replaced = takes === 'theirs' ? current : owner?.replaced;
  const confirmed = { ...placedAs(receipt, known), entry, ...(replaced && { replaced }) };
  if (after === text && known && isSameReceipt(known, confirmed)) return { ...state, outcome: 'unchanged' };

  const companions = takes === 'theirs' ? [] : owners.filter((one) => one.client !== receipt.client);
  const { server, reference, argument, variables } = receipt;
  const updated = companions.map((one) => ({ ...one, entry, server, reference, argument, variables }));
  const others = record.receipts.filter((one) => slotOf(one) !== slot);
  const steps = stepsBefore(record.steps, slot, { current, takes });
  return {
    text: after,
    record: {
      ...record,
      receipts: [...others, ...updated, confirmed],
      steps: after === text ? steps : [...steps, stepBetween(slot, text, after)],
      made: await madeWith(text, record, receipt),
    },
    outcome: outcomeOf({ current, takes, isChanged: after !== text, isKnown: known !== undefined }),
  };
}

/** What an entry takes the place of: nothing that differs, one of ours, or one that is to come back when it goes. */
type Taken = 'nothing' | 'ours' | 'theirs';

function whatItTakes(current: Entry | undefined, owner: Receipt | undefined, receipt: Receipt): Taken {
  if (current === undefined) return 'nothing';
  if (owner) return owner.server === receipt.server ? 'ours' : 'theirs';
  return isIntact(current, receipt.entry) ? 'nothing' : 'theirs';
}

function outcomeOf({
  current,
  takes,
  isChanged,
  isKnown,
}: {
  readonly current: Entry | undefined;
  readonly takes: Taken;
  readonly isChanged: boolean;
  readonly isKnown: boolean;
}): Plan['outcome'] {
  if (current === undefined) return 'added';
  if (takes === 'theirs') return 'replaced';
  if (isChanged) return 'updated';
  return isKnown ? 'unchanged' : 'adopted';
}

/** Steps of a slot that cannot be taken back, or whose result is to stay when the entry goes, are nobody's from now on. */
function stepsBefore(
  steps: readonly Step[],
  slot: string,
  { current, takes }: { readonly current: Entry | undefined; readonly takes: Taken },
): readonly Step[] {
  if (current === undefined) return steps.filter((step) => step.slot !== slot);
  if (takes !== 'theirs') return steps;
  return steps.map((step) => (step.slot === slot ? { ...step, slot: '' } : step));
}

/** A file that is named by its path stays the client's own, or the project's, where it was known as that. */
function placedAs(receipt: Receipt, known: Receipt | undefined): Receipt {
  if (receipt.scope !== 'config' || !known) return receipt;
  const { scope, file, project } = known;
  return { ...receipt, scope, file, ...(project !== undefined && { project }) };
}

/** The maps and lists that are not there before an entry, and those that were not there before earlier ones. */
async function madeWith(
  text: string | null,
  { made }: FileRecord,
  receipt: Receipt,
): Promise<readonly string[]> {
  const data = text === null ? undefined : await dataIn(text, receipt.format);
  const needed = [receipt.container.path, ...(receipt.additions ?? []).map(({ list }) => list)];
  const missing = needed.filter((path) => (valueAt(data, path) ?? undefined) === undefined);
  return [...new Set([...made, ...missing.map((path) => JSON.stringify(path))])];
}

/** @throws AgentToolsError saying whose the key is, and the way out. */
function requireOurs(current: Entry, owner: Receipt | undefined, receipt: Receipt): void {
  const { key, file, server } = receipt;
  const refuse = (message: string) => new AgentToolsError('refused', message);
  const wayOut = 'Give yours another key with --name, or replace it with --force.';
  if (!owner) {
    if (isIntact(current, receipt.entry)) return;
    throw refuse(`${file} has an entry "${key}" that AgentTools did not write. ${wayOut}`);
  }
  if (owner.server !== server)
    throw refuse(`The entry "${key}" in ${file} starts another server, ${owner.server}. ${wayOut}`);
  if (!isIntact(current, owner.entry)) {
    const ways = 'Overwrite the edit with --force, or give yours another key with --name.';
    throw refuse(`The entry "${key}" in ${file} was edited by hand since it was written. ${ways}`);
  }
  if (owner.client !== receipt.client && !hasSameVariables(owner, receipt)) {
    const ways = 'Give yours another key with --name, or change it for both with --force.';
    throw refuse(`The entry "${key}" in ${file} is also ${owner.client}'s, with other variables. ${ways}`);
  }
}

/** Whether two clients' entries set the same variables to the same values. */
function hasSameVariables(one: Receipt, other: Receipt): boolean {
  const { command: _, args: __, cmd: ___, ...variables } = launchPart(one.entry);
  const { command: ____, args: _____, cmd: ______, ...others } = launchPart(other.entry);
  return sameValue(variables, others);
}

/** Two clients read one file: the entry keeps the first one's form and gets what the second one starts. */
function sharedEntry(theirs: Entry, ours: Entry): Entry {
  return { ...theirs, ...launchPart(ours) };
}

/**
 * Plans to take an entry out, so that the bytes are as if it had never been there. Where nobody else has written since,
 * the steps are taken back; else our text is taken back where it stands now; else the entry is cut out by what the file
 * says. What others changed stays.
 * @throws AgentToolsError if the entry was edited by hand, unless `force`; ConfigError.
 */
export async function planUninstall(
  state: ConfigState,
  {
    receipt,
    place,
    force,
  }: { readonly receipt: Receipt; readonly place: EntryPlace; readonly force: boolean },
): Promise<Plan> {
  const { text, record } = state;
  const slot = slotOf(receipt);
  const receipts = record.receipts.filter((one) => !(slotOf(one) === slot && one.client === receipt.client));
  if (receipts.some((one) => slotOf(one) === slot)) {
    return { text, record: { ...record, receipts }, outcome: 'shared' };
  }
  const steps = record.steps.filter((step) => step.slot !== slot);
  const left = { ...record, receipts, steps };
  const current = await readEntry(text, place);
  if (text === null || current === undefined) {
    const after = await withoutAdditions(text, left, receipt, { gone: receipt.additions });
    return { text: after, record: emptied(left), outcome: 'gone' };
  }
  if (!force && !isIntact(current, receipt.entry)) {
    const message = `The entry "${receipt.key}" in ${receipt.file} was edited by hand since it was written. Remove it all the same with --force.`;
    throw new AgentToolsError('refused', message);
  }
  const unwound = await unwind(state, slot, receipts);
  if (unwound)
    return { text: unwound.text, record: emptied({ ...left, steps: unwound.steps }), outcome: 'removed' };
  const cut = await cutOut(text, left, { receipt, place });
  const own = record.steps.filter((step) => step.slot === slot);
  const moved = await undoMoved(text, own, { cut, place });
  return { text: moved ?? cut, record: emptied(left), outcome: 'removed' };
}

/**
 * Plans to take out an entry that nobody remembers writing.
 * @throws AgentToolsError unless `force`.
 */
export function planRemoval({
  file,
  key,
  place,
  force,
}: {
  readonly file: string;
  readonly key: string;
  readonly place: EntryPlace;
  readonly force: boolean;
}): (state: ConfigState) => Promise<Plan> {
  return async (state) => {
    const current = await readEntry(state.text, place);
    if (state.text === null || current === undefined) return { ...state, outcome: 'gone' };
    const owner = state.record.receipts.find((one) => slotOf(one) === slotOf(place));
    if (owner) {
      const message = `The entry "${key}" in ${file} was installed for ${owner.client}. Take it out with: agenttools uninstall --config ${file} --client ${owner.client} --name ${key}`;
      throw new AgentToolsError('refused', message);
    }
    if (!force) {
      const message = `AgentTools did not write the entry "${key}" in ${file}. Remove it all the same with --force.`;
      throw new AgentToolsError('refused', message);
    }
    return { ...state, text: await removeEntry(state.text, place), outcome: 'removed' };
  };
}

/** Nothing of ours, nothing to remember. */
function emptied(record: FileRecord): FileRecord {
  if (record.receipts.length > 0) return record;
  const { madeFolder: _, ...rest } = record;
  return { ...rest, steps: [], made: [] };
}

/**
 * Takes back every step since the first one of a slot, and does those of the others again. Undefined if somebody else
 * has written since.
 */
async function unwind(
  { text, record }: ConfigState,
  slot: string,
  remaining: readonly Receipt[],
): Promise<{ readonly text: string | null; readonly steps: readonly Step[] } | undefined> {
  const first = record.steps.findIndex((step) => step.slot === slot);
  if (first === -1) return undefined;
  let base = text;
  for (const step of record.steps.slice(first).reverse()) {
    const before = takeBack(base, step);
    if (!before) return undefined;
    base = before.text;
  }
  const steps = record.steps.slice(0, first);
  const later = new Set(record.steps.slice(first).map((step) => step.slot));
  for (const other of later) {
    const receipt = remaining.find((one) => slotOf(one) === other);
    if (other === slot || !receipt) continue;
    const place = placeOf(receipt);
    const entry = await readEntry(text, place);
    if (!entry) continue;
    const extras = await extrasFor(base, receipt, place);
    const after = await putEntry(base, place, entry, { ...templateOf(receipt), extras });
    if (after === base) continue;
    steps.push(stepBetween(other, base, after));
    base = after;
  }
  return { text: base, steps };
}

function takeBack(text: string | null, step: Step): { readonly text: string | null } | undefined {
  if (text === null || hashOf(text) !== step.afterHash) return undefined;
  const before = undoSplice(text, step.splice);
  if (before === undefined) return undefined;
  return { text: step.beforeHash === null ? null : before };
}

/** Takes an entry out by what the file says now: it, what came with it, and the container if we made it and it is empty. */
async function cutOut(
  text: string,
  record: FileRecord,
  { receipt, place }: { readonly receipt: Receipt; readonly place: EntryPlace },
): Promise<string> {
  const isLast = !record.receipts.some((one) => containerOf(one) === containerOf(receipt));
  const prune = isLast && record.made.includes(containerOf(receipt));
  const without = receipt.replaced
    ? await putEntry(text, place, receipt.replaced)
    : await removeEntry(text, place, { prune });
  return (await withoutAdditions(without, record, receipt, { gone: receipt.additions })) ?? without;
}

/** Takes out what an entry no longer needs elsewhere in its file, with the lists that were made for it. */
async function withoutAdditions(
  text: string | null,
  record: FileRecord,
  receipt: Receipt,
  {
    gone = [],
    kept = [],
  }: { readonly gone?: readonly Addition[] | undefined; readonly kept?: readonly Addition[] | undefined },
): Promise<string | null> {
  const others = record.receipts.filter((one) => slotOf(one) !== slotOf(receipt));
  const needed = [...others.flatMap(({ additions = [] }) => additions), ...kept];
  const isNeeded = ({ item }: Addition) => needed.some((one) => sameValue(one.item, item));
  let after = text;
  for (const { list, item } of gone.filter((one) => !isNeeded(one))) {
    if (after === null) return null;
    const items = valueAt(await dataIn(after, receipt.format), list);
    const index = Array.isArray(items) ? items.findIndex((one) => sameValue(one, item)) : -1;
    if (!Array.isArray(items) || index === -1) continue;
    const isMade = record.made.includes(JSON.stringify(list)) && items.length === 1;
    after = await removeValue(after, receipt.format, isMade ? list : [...list, index]);
  }
  return after;
}

/** Takes back the text of our steps where it stands now, if that leaves the same data as cutting the entry out. */
async function undoMoved(
  text: string,
  steps: readonly Step[],
  { cut, place }: { readonly cut: string; readonly place: EntryPlace },
): Promise<string | undefined> {
  let after: string | undefined = text;
  for (const { splice } of [...steps].reverse()) {
    after = after === undefined ? undefined : undoMovedSplice(after, splice);
  }
  if (after === undefined || after === text) return undefined;
  try {
    const { format } = place;
    return sameValue(await dataIn(after, format), await dataIn(cut, format)) ? after : undefined;
  } catch {
    return undefined;
  }
}

/** The additions of an entry as edits; those that are there already are none. */
async function extrasFor(
  text: string | null,
  { additions = [] }: Receipt,
  { format }: EntryPlace,
): Promise<readonly { readonly path: ConfigPath; readonly value: ConfigValue }[]> {
  if (additions.length === 0) return [];
  const data = text === null ? undefined : await dataIn(text, format);
  const counts = new Map<string, number>();
  return additions.flatMap(({ list, item }) => {
    const items = valueAt(data, list);
    const held: readonly unknown[] = Array.isArray(items) ? items : [];
    if (held.some((one) => sameValue(one, item))) return [];
    const name = JSON.stringify(list);
    const index = counts.get(name) ?? held.length;
    counts.set(name, index + 1);
    return [{ path: [...list, index], value: item }];
  });
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function stepBetween(slot: string, before: string | null, after: string): Step {
  return {
    slot,
    splice: spliceBetween(before ?? '', after),
    beforeHash: before === null ? null : hashOf(before),
    afterHash: hashOf(after),
  };
}

/** Where a receipt's entry stands. */
export function placeOf({ format, container, key }: Receipt): EntryPlace {
  return { format, container, key };
}

/** One place for one entry in a file; several clients may share it. */
export function slotOf({ container, key }: Pick<Receipt, 'container' | 'key'>): string {
  return JSON.stringify([...container.path, key]);
}

function templateOf({ template }: Receipt): { readonly template?: string } {
  return template === undefined ? {} : { template };
}

function containerOf({ container }: Receipt): string {
  return JSON.stringify(container.path);
}

/** The time apart, which says nothing new. */
function isSameReceipt(one: Receipt, other: Receipt): boolean {
  return isDeepStrictEqual({ ...one, time: '' }, { ...other, time: '' });
}
