import { isDeepStrictEqual } from 'node:util';
import { AgentToolsError } from '../errors.js';
import type { ConfigPath, ConfigValue, Entry } from './edit/editor.js';
import { dataIn, type EntryPlace, putEntry, readEntry, removeEntry, removeValue } from './edit/entries.js';
import { isIntact, mergeEntry, sameValue } from './edit/merge.js';
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
export async function planInstall(state: ConfigState, wanted: Wanted): Promise<Plan> {
  const { receipt, place, force } = wanted;
  const { text, record } = state;
  const slot = slotOf(receipt);
  const current = await readEntry(text, place);
  const owners = record.receipts.filter((one) => slotOf(one) === slot);
  const [owner] = owners;
  if (current !== undefined && !force) requireOurs(current, owner, receipt);

  const entry =
    owner && owner.client !== receipt.client ? sharedEntry(owner.entry, receipt.entry) : receipt.entry;
  const isForeign = current !== undefined && !owner && !isIntact(current, entry);
  const next = current ? mergeEntry(current, entry, isForeign ? undefined : (owner?.entry ?? entry)) : entry;
  const extras = await extrasFor(text, receipt, place);
  const after = await putEntry(text, place, next, { ...templateOf(receipt), extras });
  const replaced = isForeign ? current : owner?.replaced;
  const confirmed: Receipt = { ...receipt, entry, ...(replaced && { replaced }) };
  const isKnown = owners.some((one) => one.client === receipt.client && isSameReceipt(one, confirmed));
  if (after === text && isKnown) return { ...state, outcome: 'unchanged' };

  const others = record.receipts.filter((one) => slotOf(one) !== slot);
  const companions = owners.filter((one) => one.client !== receipt.client).map((one) => ({ ...one, entry }));
  // What was cut out by hand since cannot be taken back step by step.
  const steps = current ? record.steps : record.steps.filter((step) => step.slot !== slot);
  const made = (await hasContainer(text, place)) ? record.made : [...record.made, containerOf(receipt)];
  return {
    text: after,
    record: {
      ...record,
      receipts: [...others, ...companions, confirmed],
      steps: after === text ? steps : [...steps, stepBetween(slot, text, after)],
      made: [...new Set(made)],
    },
    outcome: current === undefined ? 'added' : isForeign ? 'replaced' : owner ? 'updated' : 'adopted',
  };
}

/** @throws AgentToolsError saying whose the key is, and the way out. */
function requireOurs(current: Entry, owner: Receipt | undefined, receipt: Receipt): void {
  const { key, file, server } = receipt;
  const wayOut = 'Give yours another key with --name, or replace it with --force.';
  if (!owner) {
    if (isIntact(current, receipt.entry)) return;
    const message = `${file} has an entry "${key}" that AgentTools did not write. ${wayOut}`;
    throw new AgentToolsError('refused', message);
  }
  if (owner.server !== server) {
    const message = `The entry "${key}" in ${file} starts another server, ${owner.server}. ${wayOut}`;
    throw new AgentToolsError('refused', message);
  }
  if (isIntact(current, owner.entry)) return;
  const message = `The entry "${key}" in ${file} was edited by hand since it was written. Overwrite the edit with --force, or give yours another key with --name.`;
  throw new AgentToolsError('refused', message);
}

/** The parts of an entry that say how the server starts; the rest is what one client wants besides. */
const launchFields = new Set(['command', 'cmd', 'args', 'env', 'envs', 'environment', 'cwd']);

/** Two clients read one file: the entry keeps the first one's form and gets what the second one starts. */
function sharedEntry(theirs: Entry, ours: Entry): Entry {
  const launch = Object.entries(ours).filter(([name]) => launchFields.has(name));
  const rest = Object.entries(theirs).filter(([name]) => !launchFields.has(name));
  return Object.fromEntries([...rest, ...launch]);
}

/**
 * Plans to take an entry out, so that the bytes are as if it had never been there. Where the file was changed since,
 * the change stays.
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
  const current = await readEntry(text, place);
  if (text === null || current === undefined) {
    return { text, record: emptied({ ...record, receipts, steps }), outcome: 'gone' };
  }
  if (!force && !isIntact(current, receipt.entry)) {
    const message = `The entry "${receipt.key}" in ${receipt.file} was edited by hand since it was written. Remove it all the same with --force.`;
    throw new AgentToolsError('refused', message);
  }
  const unwound = await unwind({ text, record }, slot, receipts);
  if (unwound) {
    return {
      text: unwound.text,
      record: emptied({ ...record, receipts, steps: unwound.steps }),
      outcome: 'removed',
    };
  }
  const isLast = !receipts.some((one) => containerOf(one) === containerOf(receipt));
  const prune = isLast && record.made.includes(containerOf(receipt));
  const cut = await cutOut(text, { receipt, place, prune });
  const moved = await undoMoved(
    text,
    record.steps.filter((step) => step.slot === slot),
    { cut, place },
  );
  return { text: moved ?? cut, record: emptied({ ...record, receipts, steps }), outcome: 'removed' };
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
  {
    receipt,
    place,
    prune,
  }: { readonly receipt: Receipt; readonly place: EntryPlace; readonly prune: boolean },
): Promise<string> {
  let after = receipt.replaced
    ? await putEntry(text, place, receipt.replaced)
    : await removeEntry(text, place, { prune });
  for (const { list, item } of receipt.additions ?? []) {
    const items = valueAt(await dataIn(after, place.format), list);
    const index = Array.isArray(items) ? items.findIndex((one) => sameValue(one, item)) : -1;
    if (index !== -1) after = await removeValue(after, place.format, [...list, index]);
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

async function hasContainer(text: string | null, { format, container }: EntryPlace): Promise<boolean> {
  if (text === null) return false;
  return (valueAt(await dataIn(text, format), container.path) ?? undefined) !== undefined;
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
