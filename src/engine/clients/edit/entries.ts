import type { ConfigFormat, EntryContainer, SyntaxTolerance } from '../client.js';
import { configValueAt, outermostEmpty } from './config-path.js';
import {
  type ConfigEntry,
  ConfigError,
  type ConfigPath,
  type ConfigValue,
  type Editor,
  type EditStep,
} from './editor.js';
import { isMap, sameValue } from './merge-entry.js';
import { spliceBetween } from './splice.js';

/** Position of an existing or future entry in a config file. */
export interface EntryLocator {
  readonly format: ConfigFormat;
  readonly container: EntryContainer;
  readonly key: string;
  /** Syntax that the client can read; absent: any syntax is accepted. */
  readonly tolerance?: SyntaxTolerance | undefined;
}

/** A value that a file must have in addition to the entry. */
export interface RequiredValue {
  readonly path: ConfigPath;
  readonly value: ConfigValue;
}

const bom = '\uFEFF';

/** Loaders of the editors. Each loads its parser on first use. */
const editors = {
  json: async () => (await import('./json.js')).jsonEditor(),
  jsonc: async () => (await import('./json.js')).jsonEditor(),
  toml: async () => (await import('./toml.js')).tomlEditor(),
  yaml: async () => (await import('./yaml.js')).yamlEditor(),
} satisfies Record<ConfigFormat, () => Promise<Editor>>;

function findEditor(format: ConfigFormat): Promise<Editor> {
  return editors[format]();
}

/** Returns the data of a text; undefined if it is empty. @throws ConfigError if it is malformed. */
export async function readConfigDocument(text: string, format: ConfigFormat): Promise<unknown> {
  const editor = await findEditor(format);
  return editWithoutBom(text, (body) => editor.parse(body));
}

/** Returns the value at a path; undefined if it or the file (`null`) is missing. @throws ConfigError if the text is malformed. */
export async function readConfigValue(
  text: string | null,
  format: ConfigFormat,
  path: ConfigPath,
): Promise<unknown> {
  if (text === null) return undefined;
  const editor = await findEditor(format);
  return editWithoutBom(text, (body) => editor.valueAt(body, path));
}

/** True if a file has a value at a path, other than `null`. @throws ConfigError if the text is malformed. */
export async function holdsConfigValue(
  text: string | null,
  format: ConfigFormat,
  path: ConfigPath,
): Promise<boolean> {
  if (text === null) return false;
  const editor = await findEditor(format);
  return editWithoutBom(text, (body) => editor.holds(body, path));
}

/**
 * Returns the entry at a position; undefined if the entry or the file (`null`) is missing.
 * @throws ConfigError if the text is malformed, or a list holds two entries with this name.
 */
export async function readEntry(text: string | null, place: EntryLocator): Promise<ConfigEntry | undefined> {
  if (text === null) return undefined;
  const editor = await findEditor(place.format);
  const entry = editWithoutBom(text, (body) => locateEntry(editor, body, place).value);
  return isMap(entry) ? entry : undefined;
}

/** Returns the keys of all entries in the container. @throws ConfigError if the text is malformed. */
export async function listEntryKeys(text: string, { format, container }: EntryLocator): Promise<string[]> {
  const editor = await findEditor(format);
  const holder = editWithoutBom(text, (body) => editor.valueAt(body, container.path));
  if (container.shape === 'map') return isMap(holder) ? Object.keys(holder) : [];
  return toItems(holder).flatMap((item) => (isMap(item) && typeof item.name === 'string' ? [item.name] : []));
}

/**
 * Returns the text with the given entry, and changes only values that differ. Adds each of `extras` unless
 * the file has a value at its path. `template` is the initial content of a missing file (`null`).
 * @throws ConfigError if the text cannot be edited safely.
 */
export async function putEntry(
  text: string | null,
  place: EntryLocator,
  entry: ConfigEntry,
  { template = '', extras = [] }: { template?: string; extras?: readonly RequiredValue[] } = {},
): Promise<string> {
  const editor = await findEditor(place.format);
  return edit(text ?? template, place, (body) => {
    const { path, value: current } = locateEntry(editor, body, place);
    const wanted = place.container.shape === 'list' ? withName(entry, place.key) : entry;
    const missing = extras.filter((extra) => !editor.holds(body, extra.path));
    if (missing.length === 0 && sameValue(current, wanted)) return body;

    const whole = { path, value: wanted };
    // Values that cannot be changed field by field, such as values from a merged map, can still be replaced
    // as a whole.
    const ways = (current ?? undefined) === undefined ? [[whole]] : [differences(current, wanted, path)];
    if (isMap(current)) ways.push([whole]);
    return firstSafe(
      ways.map((changes) => [...missing, ...changes]),
      { editor, body, expected: [...missing, whole] },
    );
  });
}

/**
 * Returns the text without the entry; unchanged if there is no such entry. With `prune`, also removes the
 * container of the entries if it is empty and holds no comments.
 * @throws ConfigError if the text cannot be edited safely.
 */
export async function removeEntry(
  text: string,
  place: EntryLocator,
  { prune = false }: { prune?: boolean } = {},
): Promise<string> {
  const editor = await findEditor(place.format);
  return edit(text, place, (body) => {
    const holders = place.container.path;
    const { path, value } = locateEntry(editor, body, place);
    if (value === undefined) return body;

    const without = firstSafe([[{ path }]], { editor, body, expected: [{ path }] });
    const empty = prune ? outermostEmpty(editor.parse(without), holders) : undefined;
    if (!empty) return without;
    const pruned = firstSafe([[{ path: empty }]], { editor, body: without, expected: [{ path: empty }] });
    return losesComments(without, pruned) ? without : pruned;
  });
}

/** Returns the text without one value outside of entries. @throws ConfigError */
export async function removeValue(text: string, format: ConfigFormat, path: ConfigPath): Promise<string> {
  const editor = await findEditor(format);
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  return text.slice(0, start) + editWithoutBom(text, (body) => editor.remove(body, path));
}

/** Edits a text after checking that the client can read it. */
async function edit(
  text: string,
  { format, tolerance }: EntryLocator,
  work: (body: string) => string,
): Promise<string> {
  if (tolerance?.bom === false && text.startsWith(bom)) {
    throw new ConfigError(
      'It begins with a byte order mark, which the client cannot read.',
      0,
      'Remove the mark with: agenttools doctor --fix. Or write the file as it is with --force.',
    );
  }
  const isJson = format === 'json' || format === 'jsonc';
  const findIntolerable = isJson ? (await import('./json.js')).findUnsupportedSyntax : undefined;
  const after = editWithoutBom(text, (body) => {
    const fault = tolerance && findIntolerable?.(body, tolerance);
    if (fault) throw fault;
    return work(body);
  });
  return text.startsWith(bom) ? bom + after : after;
}

/** Works on a text without its BOM. Offsets of errors include the BOM. */
function editWithoutBom<Result>(text: string, work: (body: string) => Result): Result {
  if (!text.startsWith(bom)) return work(text);
  try {
    return work(text.slice(bom.length));
  } catch (error) {
    if (!(error instanceof ConfigError) || error.offset === undefined) throw error;
    throw new ConfigError(error.message, error.offset + bom.length, error.advice);
  }
}

/** True if the text lost `#` or `/` characters, which begin comments. They can also be part of values. */
function losesComments(before: string, after: string): boolean {
  const { removed, inserted } = spliceBetween(before, after);
  return removed.replace(/[^#/]/g, '').length > inserted.replace(/[^#/]/g, '').length;
}

/**
 * Returns the text after the first series of changes that is verified: parsed again, it differs by the expected steps only.
 * @throws ConfigError the reason against the first series, if every series fails.
 */
function firstSafe(
  ways: readonly (readonly EditStep[])[],
  { editor, body, expected }: { editor: Editor; body: string; expected: readonly EditStep[] },
): string {
  const reasons: ConfigError[] = [];
  for (const changes of ways) {
    try {
      const after = applyChanges(editor, body, changes);
      if (editor.isChangedBy(expected, { before: body, after })) return after;
      reasons.push(new ConfigError('It cannot be edited safely: more than the entry would change.'));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      reasons.push(error);
    }
  }
  throw reasons[0]!;
}

function applyChanges(editor: Editor, body: string, changes: readonly EditStep[]): string {
  return changes.reduce((text, { path, value }) => {
    try {
      return value === undefined ? editor.remove(text, path) : editor.set(text, path, value);
    } catch (error) {
      if (!(error instanceof ConfigError) || error.offset === undefined) throw error;
      throw new ConfigError(error.message, offsetBefore(error.offset, body, text), error.advice);
    }
  }, body);
}

/** Maps an offset after the changes to the offset before them. */
function offsetBefore(offset: number, before: string, after: string): number {
  const splice = spliceBetween(before, after);
  if (offset <= splice.offset) return offset;
  return Math.max(splice.offset, offset - splice.inserted.length + splice.removed.length);
}

/**
 * Steps that turn the present value into the wanted entry: fields to set, then fields to remove. Descends
 * into maps.
 */
function differences(current: unknown, wanted: ConfigEntry, path: ConfigPath): EditStep[] {
  const sets = Object.entries(wanted).flatMap(([key, value]) => {
    const held = configValueAt(current, [key]);
    if (sameValue(held, value)) return [];
    const at = [...path, key];
    return isMap(held) && isMap(value) ? differences(held, value, at) : [{ path: at, value }];
  });
  const gone = Object.keys(isMap(current) ? current : {}).filter((key) => !Object.hasOwn(wanted, key));
  return [...sets, ...gone.map((key) => ({ path: [...path, key] }))];
}

/** Finds the entry, or the path for a new one. */
function locateEntry(
  editor: Editor,
  body: string,
  { container, key }: EntryLocator,
): { path: ConfigPath; value: unknown } {
  if (container.shape === 'map') {
    const path = [...container.path, key];
    return { path, value: editor.valueAt(body, path) };
  }
  const items = toItems(editor.valueAt(body, container.path));
  const [first, second] = items.flatMap((item, index) => (isMap(item) && item.name === key ? [index] : []));
  if (second !== undefined)
    throw new ConfigError(
      `Two entries of the list are named ${JSON.stringify(key)}.`,
      editor.offsetAt(body, [...container.path, second]),
      'Remove or rename one of the two, then try again.',
    );
  const index = first ?? items.length;
  return { path: [...container.path, index], value: items[index] };
}

function withName(entry: ConfigEntry, key: string): ConfigEntry {
  if (!Object.hasOwn(entry, 'name')) return { name: key, ...entry };
  if (entry.name === key) return entry;
  throw new ConfigError(`The entry for ${JSON.stringify(key)} is named ${JSON.stringify(entry.name)}.`);
}

function toItems(holder: unknown): readonly unknown[] {
  return Array.isArray(holder) ? holder : [];
}
