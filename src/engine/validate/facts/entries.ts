import type { DocumentPath } from '../../base/files/document-path.js';
import { isRecord } from '../../base/value-checks.js';
import type { serverLists } from '../../extension/check-definition.js';
import { checkShape } from '../../extension/check-shape.js';
import { checkUpstreamEntry, isUpstreamEntry } from '../../extension/check-upstream.js';
import { overrideShapes } from '../../extension/definition-shapes.js';
import { describeFault } from '../../extension/describe-fault.js';
import type { Location } from '../../extension/diagnostics.js';
import { type Definition, DefinitionError } from '../../extension/extension.js';
import { isToolkit } from '../../extension/toolkits.js';
import { UnknownItemError } from '../../extension/workspace.js';
import {
  inline,
  isToolkitEntry,
  isUse,
  type ResolvedItem,
  resolveEntry,
} from '../../runtime/list-entries.js';
import {
  type AcceptedArguments,
  type EntryOverrideFault,
  findFixFaults,
} from '../../runtime/override-faults.js';
import { withArguments } from '../../runtime/prompt.js';
import { locate } from '../../runtime/read-definition.js';
import { readInput } from '../../runtime/tool.js';
import {
  findUnresolved,
  findUnresolvedApp,
  type NameScope,
  suggestNames,
  type UnresolvedApp,
  type UnresolvedReference,
} from './references.js';

/** One entry of a server's list. */
export interface EntrySnapshot {
  readonly kind: (typeof serverLists)[number];
  readonly location: Location;
  /** The referenced name; absent for an inline definition. */
  readonly reference?: string;
  /** The overrides of the referenced item. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** Faults of fixed arguments and options. */
  readonly fixFaults?: readonly EntryOverrideFault[];
  /** The reason why the name does not resolve. */
  readonly lost?: UnresolvedReference;
  /** The app that the entry sets for the tool, if it does not resolve. */
  readonly lostApp?: UnresolvedApp;
  /** Name that clients see; absent if the item is unavailable. */
  readonly wireName?: string;
  /** URI or URI template of a resource. */
  readonly address?: string;
  /** An inline definition. */
  readonly definition?: Definition;
  /** The resolved item, if available. */
  readonly leadsTo?: Definition;
  /** True if the tool is listed as part of its toolkit. */
  readonly inToolkit?: boolean;
  /** True if the name is of a toolkit. */
  readonly namesToolkit?: boolean;
  /** Faults of an inline toolkit. */
  readonly toolkitFaults?: readonly EntryFault[];
  /** Other faults of the entry. */
  readonly faults?: readonly EntryFault[];
}

interface EntryFault {
  readonly location: Location;
  readonly message: string;
}

/** Location of an entry. */
interface EntryCheckContext extends NameScope {
  readonly kind: (typeof serverLists)[number];
  readonly server: Definition;
  readonly path: readonly (string | number)[];
}

/** The items of a list entry: one, several or none. */
export async function entryFacts(
  entry: unknown,
  place: EntryCheckContext,
): Promise<readonly EntrySnapshot[]> {
  const one = await snapshotSingleEntry(entry, place);
  return one ? [one] : isRecord(entry) ? await snapshotExpandedEntry(entry, place) : [];
}

/** The items of an entry for several tools, or for a definition with overrides. */
async function snapshotExpandedEntry(
  entry: Readonly<Record<string, unknown>>,
  place: EntryCheckContext,
): Promise<readonly EntrySnapshot[]> {
  const { kind, server, path } = place;
  const base = { kind, location: locate(server, path) };
  try {
    const { listings, faults: toolkitFaults } = await resolveEntry(entry, place);
    const facts = await Promise.all(listings.map((one) => snapshotResolvedItem(one, place)));
    const isOwn = !isToolkitEntry(entry, kind);
    return [...facts, ...(isOwn && toolkitFaults.length > 0 ? [{ ...base, toolkitFaults }] : [])];
  } catch (error) {
    if (error instanceof UnknownItemError) {
      const location = locate(server, [...path, 'toolkit']);
      const reference = String(entry.toolkit);
      const declared = place.extension.manifest.toolkits.map(({ name }) => name);
      const reason = error.foreign
        ? error.message
        : `is not declared.${suggestNames(reference, { what: 'toolkits', declared })}`;
      return [{ kind, location, reference, namesToolkit: true, lost: { isForeign: error.foreign, reason } }];
    }
    if (!(error instanceof DefinitionError)) throw error;
    // The fault of an unreadable toolkit is reported for the toolkit.
    return error.code === 'invalid-server' ? [{ ...base, faults: [error] }] : [];
  }
}

async function snapshotResolvedItem(
  { definition, name: wireName, reference, changes, inToolkit }: ResolvedItem,
  { kind, server, path, extension }: EntryCheckContext,
): Promise<EntrySnapshot> {
  const isHere = reference === undefined || definition.file === server.file;
  const taken = await readOverridable(definition);
  const faults = await Promise.all(
    changes.map(async ({ override, path: at }) => {
      const what = `Server "${server.item}", ${entryLabel(override.use, at)},`;
      const shape = [...checkShape(override, overrideShapes[kind])].map((fault) => ({
        location: locate(server, [...at, ...fault.path]),
        message: describeFault(what, fault),
      }));
      const fixed = (await findFixFaults(override, taken)).map((fault) => ({
        location: locate(server, [...at, ...fault.path]),
        message: `${what} ${fault.reason}`,
      }));
      return [...shape, ...fixed];
    }),
  );
  return {
    kind,
    location: locate(server, path),
    ...(reference !== undefined && { reference }),
    ...clientView(definition),
    wireName,
    leadsTo: definition,
    inToolkit,
    ...(isHere && definition.extension === extension && { definition }),
    faults: faults.flat(),
  };
}

/** The snapshot of an entry for one item; undefined for an entry that may be several. */
async function snapshotSingleEntry(
  entry: unknown,
  place: EntryCheckContext,
): Promise<EntrySnapshot | undefined> {
  const { kind, server, path } = place;
  const base = { kind, location: locate(server, path) };
  if (kind === 'tools' && isUpstreamEntry(entry)) return { ...base, faults: upstreamFaults(entry, place) };
  if (typeof entry === 'string')
    return { ...base, ...(await snapshotEntryReference(entry, base.location, place)) };
  if (!isRecord(entry) || isToolkitEntry(entry, kind) || (kind === 'tools' && isToolkit(entry)))
    return undefined;
  if (isUse(entry)) {
    if (typeof entry.use !== 'string') {
      return isRecord(entry.use) || Array.isArray(entry.use) ? undefined : { ...base, override: entry };
    }
    const location = locate(server, [...path, 'use']);
    const facts = await snapshotEntryReference(entry.use, location, place);
    const renamed = typeof entry.name === 'string' ? { wireName: entry.name } : {};
    const item = facts.lost ? undefined : await resolveEntryItem(entry.use, location, place);
    const fixFaults = item ? await findFixFaults(entry, await readOverridable(item)) : [];
    const lostApp =
      kind === 'tools'
        ? await findUnresolvedApp(entry, (at) => locate(server, [...path, ...at]), place)
        : undefined;
    return {
      ...base,
      ...facts,
      ...renamed,
      location,
      override: entry,
      fixFaults,
      ...(lostApp && { lostApp }),
    };
  }
  if (kind === 'apps') return undefined;
  const definition = inline(server, kind, entry, path);
  return { ...base, definition, ...clientView(definition) };
}

function upstreamFaults(
  entry: Readonly<Record<string, unknown>>,
  { server, path }: EntryCheckContext,
): readonly EntryFault[] {
  return [...checkUpstreamEntry(entry)].map((fault) => ({
    location: {
      ...locate(server, [...path, ...fault.path]),
      ...(fault.problem === 'unknown' && { key: true }),
    },
    message: describeFault(`Server "${server.item}", ${entryLabel(undefined, path)},`, fault),
  }));
}

async function snapshotEntryReference(
  reference: string,
  location: Location,
  place: EntryCheckContext,
): Promise<Pick<EntrySnapshot, 'reference' | 'lost' | 'wireName' | 'address' | 'leadsTo'>> {
  const lost = await findUnresolved(place.kind, reference, { ...place, location });
  if (lost) return { reference, lost };
  const definition = await resolveEntryItem(reference, location, place);
  return { reference, ...(definition && { leadsTo: definition, ...clientView(definition) }) };
}

/** The item of a name; undefined if its definition is invalid, which is reported for the item. */
async function resolveEntryItem(
  reference: string,
  location: Location,
  { kind, workspace, extension }: EntryCheckContext,
): Promise<Definition | undefined> {
  return await workspace.resolveItem(kind, reference, extension, location).catch((error) => {
    if (error instanceof DefinitionError) return undefined;
    throw error;
  });
}

/** The arguments and options of an item that a server may fix. A schema fault is reported for the tool. */
async function readOverridable(definition: Definition): Promise<AcceptedArguments> {
  const { kind, value } = definition;
  if (kind === 'tools') {
    const input = await readInput(definition).catch(() => undefined);
    return { input, options: isRecord(value.options) ? Object.keys(value.options) : [] };
  }
  if (kind !== 'prompts') return {};
  const declared = withArguments(definition).value.arguments;
  const entries: readonly unknown[] = Array.isArray(declared) ? declared : [];
  const names = entries.map((entry) => (isRecord(entry) ? entry.name : undefined));
  return { arguments: names.filter((name) => typeof name === 'string') };
}

/** Labels a list entry by number: several entries may share a name, and not every file has positions. */
export function entryLabel(reference: unknown, [list, index]: DocumentPath): string {
  const number = typeof index === 'number' ? ` ${index + 1}` : '';
  return `entry${number}${typeof reference === 'string' ? ` "${reference}"` : ''} of "${list}"`;
}

/** Client view of an item. */
export function clientView({ value, item }: Definition): Pick<EntrySnapshot, 'wireName' | 'address'> {
  const address = value.uri ?? value.uriTemplate;
  return {
    wireName: typeof value.name === 'string' ? value.name : item,
    ...(typeof address === 'string' && { address }),
  };
}
