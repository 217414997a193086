import { canonical } from '../base/canonical-json.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../extension/definition-shapes.js';
import type { Extension } from '../extension/extension.js';
import { type Kind, kinds } from '../extension/item-kinds.js';
import { type ChangedFile, compare, findSameItem, type PackageComparison } from './compare-states.js';
import type { ChangedDependency } from './dependencies.js';
import { fingerprintExtension } from './fingerprint.js';
import { type ItemState, readItems } from './items.js';

/** What another version of a package brings. */
export interface VersionDifference {
  readonly added: readonly ItemState[];
  readonly removed: readonly ItemState[];
  readonly changed: readonly ItemDifference[];
  /** Files that no item accounts for. */
  readonly files: readonly ChangedFile[];
  /** What its package.json says otherwise, besides its version and what it declares. */
  readonly packageJson: readonly ValueDifference[];
  /** What comes with it and is other than before. */
  readonly dependencies: readonly ChangedDependency[];
  /** Where the package came from and comes from, if that is another place. */
  readonly source?: { readonly before: string; readonly after: string };
}

/** What is other about an item. */
export interface ItemDifference {
  readonly kind: Kind;
  readonly name: string;
  readonly values: readonly ValueDifference[];
  /** Files of its own that have changed: code, handlers, contents. */
  readonly files: readonly string[];
  /** Whether its definition, or the text of a prompt, is made by code that was not run: what it says now is unknown. */
  readonly unread: false | 'definition' | 'text';
  /** Why it would be left out now. */
  readonly problem?: string;
}

/** A value at a place in a definition; undefined: there is none. */
export interface ValueDifference {
  readonly path: DocumentPath;
  readonly before: unknown;
  readonly after: unknown;
}

export interface DifferenceOptions {
  /** Whether code definitions are loaded, by the functions that the extensions were opened with. */
  readonly load: boolean;
  /** What comes with the package and has changed. */
  readonly dependencies: readonly ChangedDependency[];
}

/** What differs between two versions of an extension, value by value; the old one may be beyond reading. */
export async function comparePackages(
  before: Extension | undefined,
  after: Extension,
  { load, dependencies }: DifferenceOptions,
): Promise<VersionDifference> {
  const nothing = { files: {}, items: [] };
  const comparison = compare(
    before ? await fingerprintExtension(before) : nothing,
    await fingerprintExtension(after),
  );
  const old = before ? await readItems(before, kinds, { load }) : [];
  const now = await readItems(after, kinds, { load });
  const packageJson = before ? packageJsonDifference(before, after) : [];
  const isOtherCode = [...dependencies, ...packageJson].length > 0 || mayChangeCode(comparison);
  const changed = now.flatMap((item) => {
    const was = findSameItem(old, item);
    if (!was) return [];
    const found = comparison.changed.find(
      ({ after: one }) => one.kind === item.kind && one.name === item.name,
    );
    const isUnread = (was.isCode || item.isCode) && !load && (found !== undefined || isOtherCode);
    const unread = isUnread ? 'definition' : isOtherCode && isWritten(item) ? 'text' : false;
    return compareItem(was, item, {
      files: [...(found?.isRedefined && item.isCode ? [item.file!] : []), ...(found?.files ?? [])],
      unread,
    });
  });
  return {
    added: now.filter((item) => !findSameItem(old, item)),
    removed: old.filter((item) => !findSameItem(now, item)),
    changed,
    files: comparison.files,
    packageJson,
    dependencies,
  };
}

/** Whether a function in a module of its own makes the text of a prompt. */
function isWritten({ kind, uses }: ItemState): boolean {
  return kind === 'prompts' && uses.length > 0;
}

/** It says where the imports of code lead, and code may read it. The items tell what is declared. */
function packageJsonDifference(before: Extension, after: Extension): readonly ValueDifference[] {
  const [one, other] = [before, after].map(({ manifest }) => manifest.packageJson.value);
  return [...valuesBetween(one, other)].filter(
    ({ path: [key] }) => key !== 'version' && key !== 'agenttools',
  );
}

/** Code may say something else because of any file that it may import. What package.json says is compared by value. */
function mayChangeCode({ changed, files }: PackageComparison): boolean {
  const isNoCode = /\.(?:md|txt)$|^package\.json$/i;
  return files.some(({ file }) => !isNoCode.test(file)) || changed.some((item) => item.files.length > 0);
}

function compareItem(
  was: ItemState,
  item: ItemState,
  { files, unread }: Pick<ItemDifference, 'files' | 'unread'>,
): readonly ItemDifference[] {
  const { kind, name, problem } = item;
  const isComparable = was.value !== undefined && item.value !== undefined;
  const values = isComparable ? [...valuesBetween(was.value, item.value)] : [];
  const isLost = problem !== undefined && problem !== was.problem;
  const isFound = problem === undefined && was.problem !== undefined;
  if (values.length + files.length === 0 && unread === false && !isLost && !isFound) return [];
  return [{ kind, name, values, files, unread, ...(isLost && { problem }) }];
}

/** Where two values differ, as deep as both are objects. */
function* valuesBetween(
  before: unknown,
  after: unknown,
  path: DocumentPath = [],
): Generator<ValueDifference> {
  if (!isRecord(before) || !isRecord(after)) {
    if (canonical(before) !== canonical(after)) yield { path, before, after };
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* valuesBetween(ownValue(before, key), ownValue(after, key), [...path, key]);
  }
}

function ownValue(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Keys of a definition that no client is shown. */
const unseenKeys = {
  tools: ['handler', 'initialize', 'options', 'timeoutMs', 'taskBegins', 'onOutputMismatch'],
  prompts: ['timeoutMs'],
  resources: ['read', 'list', 'complete', 'cache', 'timeoutMs'],
  servers: ['initialize', 'list', 'pageSize', 'cache', 'exposeErrors', 'transport', 'evaluator'],
  apps: [],
} as const satisfies Record<Kind, readonly string[]>;

/** Items whose files a client gets to see, or what they make. */
const seenByFile: readonly Kind[] = ['prompts', 'resources', 'apps'];

/** Whether a client, and with it the model, is or may be shown something else than before. */
export function isVisibleToModel({
  added,
  removed,
  changed,
  dependencies,
  source,
}: VersionDifference): boolean {
  // Servers may list what extensions that come with a package declare.
  const isListed = dependencies.some(({ before, after }) => before?.isExtension || after?.isExtension);
  if (added.length + removed.length > 0 || source !== undefined || isListed) return true;
  return changed.some(isItemSeen);
}

/** The items of which nothing is known but that their code, which was not run, may say something else. */
export function uninspectedItems({ changed }: VersionDifference): readonly ItemDifference[] {
  return changed.filter((item) => item.unread && !isItemSeen({ ...item, unread: false }));
}

/** Whether a client is or may be shown something else of an item. */
function isItemSeen({ kind, values, files, unread, problem }: ItemDifference): boolean {
  if (unread !== false || problem !== undefined) return true;
  if (seenByFile.includes(kind) && files.length > 0) return true;
  const unseen: readonly string[] = unseenKeys[kind];
  return values.some(({ path: [key] }) => !unseen.includes(String(key)) && !String(key).startsWith('x-'));
}
