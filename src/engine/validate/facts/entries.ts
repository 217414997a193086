import type { DocumentPath } from '../../base/files/document-path.js';
import type { serverLists } from '../../extension/check-definition.js';
import { checkUpstreamEntry, isUpstreamEntry } from '../../extension/check-upstream.js';
import { checkShape, isRecord, overrideShapes } from '../../extension/definition-shapes.js';
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
  findLostApp,
  findUnresolved,
  type NameScope,
  suggestNames,
  type UnresolvedApp,
  type UnresolvedReference,
} from './references.js';

/** One entry of a server's list. */
export interface EntrySnapshot {
  readonly kind: (typeof serverLists)[number];
  readonly location: Location;
  /** The name it gives; absent for a definition that stands right there. */
  readonly reference?: string;
  /** What it changes of the item it names. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** Arguments and options that it fixes in vain. */
  readonly fixFaults?: readonly EntryOverrideFault[];
  /** Why the name leads nowhere. */
  readonly lost?: UnresolvedReference;
  /** The app that it gives to the tool, if that is not to be had. */
  readonly lostApp?: UnresolvedApp;
  /** What clients see; absent when the item cannot be had. */
  readonly wireName?: string;
  /** The address of a resource. */
  readonly address?: string;
  /** A definition that stands right there. */
  readonly definition?: Definition;
  /** The item that it stands for, if that can be had. */
  readonly leadsTo?: Definition;
  /** It is listed with all others of its toolkit. */
  readonly inToolkit?: boolean;
  /** The name is that of a toolkit. */
  readonly namesToolkit?: boolean;
  /** What is wrong with a toolkit that stands right there. */
  readonly toolkitFaults?: readonly EntryFault[];
  /** What else it says that cannot be. */
  readonly faults?: readonly EntryFault[];
}

interface EntryFault {
  readonly location: Location;
  readonly message: string;
}

/** Where an entry stands. */
interface EntryCheckContext extends NameScope {
  readonly kind: (typeof serverLists)[number];
  readonly server: Definition;
  readonly path: readonly (string | number)[];
}

/** What an entry of a list comes to: one item, several, or nothing. */
export async function entryFacts(
  entry: unknown,
  place: EntryCheckContext,
): Promise<readonly EntrySnapshot[]> {
  const one = await singleFacts(entry, place);
  return one ? [one] : isRecord(entry) ? await severalFacts(entry, place) : [];
}

/** What an entry stands for that may be several tools, or a definition with changes. */
async function severalFacts(
  entry: Readonly<Record<string, unknown>>,
  place: EntryCheckContext,
): Promise<readonly EntrySnapshot[]> {
  const { kind, server, path } = place;
  const base = { kind, location: locate(server, path) };
  try {
    const { listings, faults: toolkitFaults } = await resolveEntry(entry, place);
    const facts = await Promise.all(listings.map((one) => listingFacts(one, place)));
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
    // Why a toolkit cannot be read is told of the toolkit.
    return error.code === 'invalid-server' ? [{ ...base, faults: [error] }] : [];
  }
}

async function listingFacts(
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

/** What is known of an entry that stands for one item; undefined for one that may stand for more. */
async function singleFacts(entry: unknown, place: EntryCheckContext): Promise<EntrySnapshot | undefined> {
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
        ? await findLostApp(entry, (at) => locate(server, [...path, ...at]), place)
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

/** The item that a name leads to; none if its definition cannot be had, which is told of the item. */
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

/** What an item takes that a server may fix. A schema that cannot be used is told of the tool. */
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

/** An entry of a list by its number, since several may have one name, and not every file can be pointed into. */
export function entryLabel(reference: unknown, [list, index]: DocumentPath): string {
  const number = typeof index === 'number' ? ` ${index + 1}` : '';
  return `entry${number}${typeof reference === 'string' ? ` "${reference}"` : ''} of "${list}"`;
}

/** What clients see of an item. */
export function clientView({ value, item }: Definition): Pick<EntrySnapshot, 'wireName' | 'address'> {
  const address = value.uri ?? value.uriTemplate;
  return {
    wireName: typeof value.name === 'string' ? value.name : item,
    ...(typeof address === 'string' && { address }),
  };
}
