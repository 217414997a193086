import { findCopyFaults } from '../base/plain-data.js';
import { isRecord } from '../base/value-checks.js';
import type { serverLists } from '../extension/check-definition.js';
import { isUpstreamEntry } from '../extension/check-upstream.js';
import { describeFault } from '../extension/describe-fault.js';
import {
  createRawToolkit,
  type Definition,
  DefinitionError,
  type Extension,
  type RawToolkit,
} from '../extension/extension.js';
import { translate } from '../extension/key-spellings.js';
import { allDeclared } from '../extension/manifest.js';
import { checkToolkitOverride, findToolkit, isToolkit } from '../extension/toolkits.js';
import type { Workspace } from '../extension/workspace.js';
import type { CollisionCandidate } from './distinct-names.js';
import type { Override } from './override.js';
import { definitionLabel, locate, oncePerDefinition, unplainError } from './read-definition.js';
import type { UpstreamEntry } from './upstream.js';

/** Kinds of items that a server is composed of. */
export type ComposedKind = (typeof serverLists)[number];

type EntryPath = readonly (string | number)[];

/** An item that an entry of a server's list resolves to. */
export interface ResolvedItem extends CollisionCandidate {
  readonly definition: Definition;
  /** Name that clients see, unless other items share it. */
  readonly name: string;
  /** The name that refers to the item, as written; absent for an inline definition. */
  readonly reference?: string;
  readonly changes: readonly EntryOverride[];
}

/** An override that an entry declares for its item. */
interface EntryOverride {
  readonly override: Override;
  /** Path of the entry in the server. */
  readonly path: EntryPath;
}

/** The items of an entry, and the faults of unavailable items. */
export interface ResolvedEntry {
  readonly listings: readonly ResolvedItem[];
  readonly faults: readonly DefinitionError[];
  /** The toolkit that the entry lists. */
  readonly toolkit?: RawToolkit;
  /** The tools of an upstream server, which are known once that server has listed them. */
  readonly upstream?: Omit<UpstreamEntry, 'position'>;
}

/** Location of an entry. */
export interface ListEntryContext {
  readonly kind: ComposedKind;
  readonly server: Definition;
  readonly workspace: Workspace;
  readonly path: EntryPath;
  /** Receives the owner of the item as soon as it is known, before the definition is read. */
  readonly onOwner?: (owner: Extension) => void;
}

/** Entries of a server's list as written, with `"*"` expanded. */
export function listEntries({ value, extension }: Definition, kind: ComposedKind): readonly unknown[] {
  const list = value[kind];
  if (list === '*') return allDeclared(extension.manifest, kind);
  return Array.isArray(list) ? list : [];
}

/** `{ "use": item, … }`; in code, `use` may hold the item itself. */
export function isUse(entry: unknown): entry is Readonly<Record<string, unknown>> {
  return isRecord(entry) && Object.hasOwn(entry, 'use');
}

/** `{ "toolkit": name, … }` */
export function isToolkitEntry(
  entry: unknown,
  kind: ComposedKind,
): entry is Readonly<Record<string, unknown>> & { readonly toolkit: string } {
  return kind === 'tools' && isRecord(entry) && typeof entry.toolkit === 'string';
}

/** @throws DefinitionError for an entry that the copy of its list has replaced by null */
function requirePlainEntry({ server, path }: ListEntryContext): void {
  const fault = server.translation.unplain.find((one) => one.path.join('/') === path.join('/'));
  if (fault) throw unplainError(server, fault);
}

/**
 * Resolves an entry of a server's list, for serving, showing and checking the server.
 * @throws DefinitionError if the entry resolves to nothing
 */
export async function resolveEntry(entry: unknown, place: ListEntryContext): Promise<ResolvedEntry> {
  const { kind, server, workspace, path } = place;
  if (typeof entry === 'string') return await resolveName(entry, place, path);
  const isReference = isUse(entry) || isToolkitEntry(entry, kind) || isUpstreamEntry(entry);
  const [fault] = isReference ? findCopyFaults(entry) : [];
  if (fault) throw unplainError(server, fault, path);
  if (entry === null) requirePlainEntry(place);
  if (isUse(entry)) return await resolveUse(entry, place);
  if (isToolkitEntry(entry, kind)) {
    const location = locate(server, [...path, 'toolkit']);
    const found = await workspace.locateToolkit(entry.toolkit, server.extension, location);
    place.onOwner?.(found.extension);
    const toolkit = await found.extension.toolkit(found.name);
    place.onOwner?.(server.extension);
    requireToolkitChanges(entry, `entry "${entry.toolkit}"`, toolkit.tools.length, place);
    const { toolkit: name, ...said } = entry;
    return withChange(toResolvedEntry(toolkit), { override: { ...said, use: name }, path });
  }
  if (kind === 'tools' && isUpstreamEntry(entry)) {
    // Loaded on demand: few servers have upstream entries.
    const { readUpstreamEntry } = await import('./upstream-entry.js');
    return { listings: [], faults: [], upstream: await readUpstreamEntry(entry, { server, path }) };
  }
  if (kind === 'tools' && isToolkit(entry)) return toResolvedEntry(await toolkitHere(entry, place));
  const written = oncePerDefinition(server, path.join('/'), () => inline(server, kind, entry, path));
  const definition = await oncePerDefinition(written, 'completed', () => server.extension.completed(written));
  return { listings: [toResolvedItem(definition)], faults: [] };
}

async function resolveName(
  reference: string,
  place: ListEntryContext,
  path: EntryPath,
): Promise<ResolvedEntry> {
  const { kind, server, workspace, onOwner } = place;
  const found = await workspace.locateItem(kind, reference, server.extension, locate(server, path));
  onOwner?.(found.extension);
  const definition = await found.extension.definition(kind, found.item);
  return { listings: [toResolvedItem(definition, { reference })], faults: [] };
}

async function resolveUse(
  entry: Readonly<Record<string, unknown>>,
  place: ListEntryContext,
): Promise<ResolvedEntry> {
  const { kind, server, path } = place;
  const { use: item } = entry;
  const at = [...path, 'use'];
  if (typeof item !== 'string' && !isRecord(item) && !Array.isArray(item)) {
    const message = `${definitionLabel(server)}, an entry of "${kind}", has an unusable "use". Expected a name or a definition.`;
    throw new DefinitionError('invalid-server', message, locate(server, at));
  }
  if (kind === 'tools' && isUpstreamEntry(item)) {
    const message = `${definitionLabel(server)}, an entry of "tools", has an unusable "use". Write the entry with "upstream" without "use".`;
    throw new DefinitionError('invalid-server', message, locate(server, at));
  }
  const inner = { ...place, path: at };
  const found =
    kind === 'tools' && Array.isArray(item)
      ? toResolvedEntry(await toolkitHere(item, inner))
      : typeof item === 'string'
        ? await resolveName(item, place, at)
        : await resolveEntry(item, inner);
  if (found.toolkit) {
    const { use: _, ...said } = entry;
    requireToolkitChanges({ ...said, toolkit: '' }, 'an entry', found.listings.length, place);
  }
  const name = typeof item === 'string' ? item : (found.listings[0]?.definition.item ?? kind);
  return withChange(found, { override: { ...entry, use: name }, path });
}

/** @throws DefinitionError if an override of a toolkit cannot apply to all of its tools */
function requireToolkitChanges(
  said: Readonly<Record<string, unknown>>,
  entry: string,
  count: number,
  { server, path }: ListEntryContext,
): void {
  for (const fault of checkToolkitOverride(said, count)) {
    const message = describeFault(`${definitionLabel(server)}, ${entry},`, fault);
    throw new DefinitionError('invalid-server', message, locate(server, [...path, ...fault.path]));
  }
}

function toResolvedEntry(toolkit: RawToolkit): ResolvedEntry {
  const listings = toolkit.tools.map((tool) =>
    toResolvedItem(tool, { reference: tool.item, inToolkit: true }),
  );
  return { listings, faults: toolkit.faults, toolkit };
}

function toResolvedItem(
  definition: Definition,
  { reference, inToolkit = false }: Partial<Pick<ResolvedItem, 'reference' | 'inToolkit'>> = {},
): ResolvedItem {
  const { value, item, written = definition } = definition;
  const name = typeof value.name === 'string' ? value.name : item;
  return { definition, name, written, ...(reference !== undefined && { reference }), changes: [], inToolkit };
}

function withChange(entry: ResolvedEntry, change: EntryOverride): ResolvedEntry {
  const { use: _, ...said } = change.override;
  if (Object.keys(said).length === 0 && entry.toolkit) return entry;
  const name = typeof said.name === 'string' ? { name: said.name } : {};
  const listings = entry.listings.map((one) => ({ ...one, ...name, changes: [...one.changes, change] }));
  return { ...entry, listings };
}

/** Reads a toolkit that is defined in a server's list. */
function toolkitHere(entry: unknown, { server, path }: ListEntryContext): Promise<RawToolkit> {
  return oncePerDefinition(server, path.join('/'), async () => {
    const at = locate(server, path).path ?? [];
    const what = `A toolkit of server "${server.item}"`;
    const { extension, file } = server;
    const toolkit = createRawToolkit(findToolkit(entry)!, { what, extension, file, at });
    return { ...toolkit, tools: await Promise.all(toolkit.tools.map((tool) => extension.completed(tool))) };
  });
}

/**
 * Definition that is written in a server's list.
 * @throws DefinitionError for an app, or for an entry that is not an object
 */
export function inline(server: Definition, kind: ComposedKind, entry: unknown, path: EntryPath): Definition {
  const location = locate(server, path);
  if (kind === 'apps') {
    const message = 'An app is named, it cannot be defined in a server.';
    throw new DefinitionError('invalid-server', message, location);
  }
  if (!isRecord(entry)) {
    throw new DefinitionError(
      'invalid-server',
      `An entry of "${kind}" is neither a name nor a definition.`,
      location,
    );
  }
  const translation = translate(entry, kind);
  const { name, uri } = translation.value;
  const item = typeof name === 'string' ? name : typeof uri === 'string' ? uri : `${kind}-${path[1]}`;
  const { value } = translation;
  return { ...server, kind, item, at: location.path ?? [], value, translation, written: entry };
}
