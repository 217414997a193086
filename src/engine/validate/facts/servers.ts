import { serverLists } from '../../extension/check.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import { type Definition, DefinitionError, type Extension } from '../../extension/extension.js';
import { describeFault } from '../../extension/faults.js';
import type { Kind } from '../../extension/kinds.js';
import { checkShape, isRecord, overrideShapes } from '../../extension/shapes.js';
import { isToolkit } from '../../extension/toolkits.js';
import { implicitServerName, UnknownItemError, type Workspace } from '../../extension/workspace.js';
import type { DocumentPath } from '../../files/document.js';
import { distinctNames, withoutRepeats } from '../../items/collisions.js';
import {
  inline,
  isToolkitEntry,
  isUse,
  type Listing,
  listEntries,
  resolveEntry,
} from '../../items/entries.js';
import { type FixFault, findFixFaults, type Taken } from '../../items/override-faults.js';
import { withArguments } from '../../items/prompt.js';
import { locate } from '../../items/read.js';
import { readSchema } from '../../items/tool.js';
import { didYouMean } from '../../spelling.js';
import type { ItemFacts } from './items.js';

/** A server as far as its lists go. One that no definition describes stands for all that the package declares. */
export interface ServerFacts {
  readonly name: string;
  readonly ref: ItemRef;
  readonly entries: readonly EntryFacts[];
}

/** One entry of a server's list. */
export interface EntryFacts {
  readonly kind: (typeof serverLists)[number];
  readonly location: Location;
  /** The name it gives; absent for a definition that stands right there. */
  readonly reference?: string;
  /** What it changes of the item it names. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** Arguments and options that it fixes in vain. */
  readonly fixFaults?: readonly FixFault[];
  /** Why the name leads nowhere. */
  readonly lost?: LostReference;
  /** The app that it gives to the tool, if that is not to be had. */
  readonly lostApp?: LostApp;
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

interface LostReference {
  /** It names another package. */
  readonly isForeign: boolean;
  readonly reason: string;
}

/** The name of an app that leads nowhere. */
export interface LostApp extends LostReference {
  readonly reference: string;
  readonly location: Location;
}

interface Surroundings {
  readonly extension: Extension;
  readonly workspace: Workspace;
  readonly items: readonly ItemFacts[];
}

/** Every server of an extension, with what the names in its lists lead to. */
export async function gatherServers(surroundings: Surroundings): Promise<readonly ServerFacts[]> {
  const { items, extension } = surroundings;
  const servers = items.filter(({ kind }) => kind === 'servers');
  if (servers.length === 0) return items.length > 0 ? [implicitServer(extension, items)] : [];
  return await Promise.all(
    servers.map(async ({ name, ref, definition }) => {
      const entries = definition ? await entriesOf(definition, surroundings) : [];
      return { name, ref, entries };
    }),
  );
}

function implicitServer(extension: Extension, items: readonly ItemFacts[]): ServerFacts {
  const server = implicitServerName(extension);
  const entries = items.flatMap((item): EntryFacts[] => {
    const { kind, declaration, definition } = item;
    if (kind === 'servers' || !declaration || !definition) return [];
    const location = locate(definition, [kind === 'resources' ? 'uri' : 'name']);
    return [{ kind, location, reference: item.name, leadsTo: definition, ...seenAs(definition) }];
  });
  return { name: server, ref: { kind: 'server', name: server }, entries };
}

async function entriesOf(server: Definition, surroundings: Surroundings): Promise<EntryFacts[]> {
  const lists = serverLists.map((kind) => {
    const isEverything = server.value[kind] === '*';
    return listEntries(server, kind).map((entry, index) =>
      entryFacts(entry, { kind, server, path: isEverything ? [kind] : [kind, index], ...surroundings }),
    );
  });
  return (await Promise.all(lists.flat())).flat();
}

interface Place extends Surroundings {
  readonly kind: (typeof serverLists)[number];
  readonly server: Definition;
  readonly path: readonly (string | number)[];
}

async function entryFacts(entry: unknown, place: Place): Promise<readonly EntryFacts[]> {
  const one = await singleFacts(entry, place);
  return one ? [one] : isRecord(entry) ? await severalFacts(entry, place) : [];
}

/** What an entry stands for that may be several tools, or a definition with changes. */
async function severalFacts(
  entry: Readonly<Record<string, unknown>>,
  place: Place,
): Promise<readonly EntryFacts[]> {
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
        : `is not declared.${wayOut(reference, { what: 'toolkits', declared })}`;
      return [{ kind, location, reference, namesToolkit: true, lost: { isForeign: error.foreign, reason } }];
    }
    if (!(error instanceof DefinitionError)) throw error;
    // Why a toolkit cannot be read is told of the toolkit.
    return error.code === 'invalid-server' ? [{ ...base, faults: [error] }] : [];
  }
}

async function listingFacts(
  { definition, name: wireName, reference, changes, inToolkit }: Listing,
  { kind, server, path, extension }: Place,
): Promise<EntryFacts> {
  const isHere = reference === undefined || definition.file === server.file;
  const taken = await takenBy(definition);
  const faults = await Promise.all(
    changes.map(async ({ override, path: at }) => {
      const what = `Server "${server.item}", entry "${override.use}",`;
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
    ...seenAs(definition),
    wireName,
    leadsTo: definition,
    inToolkit,
    ...(isHere && definition.extension === extension && { definition }),
    faults: faults.flat(),
  };
}

/** What is known of an entry that stands for one item; undefined for one that may stand for more. */
async function singleFacts(entry: unknown, place: Place): Promise<EntryFacts | undefined> {
  const { kind, server, path } = place;
  const base = { kind, location: locate(server, path) };
  if (typeof entry === 'string') return { ...base, ...(await referenceFacts(entry, base.location, place)) };
  if (!isRecord(entry) || isToolkitEntry(entry, kind) || (kind === 'tools' && isToolkit(entry)))
    return undefined;
  if (isUse(entry)) {
    if (typeof entry.use !== 'string') {
      return isRecord(entry.use) || Array.isArray(entry.use) ? undefined : { ...base, override: entry };
    }
    const location = locate(server, [...path, 'use']);
    const facts = await referenceFacts(entry.use, location, place);
    const renamed = typeof entry.name === 'string' ? { wireName: entry.name } : {};
    const item = facts.lost ? undefined : await resolve(entry.use, location, place);
    const fixFaults = item ? await findFixFaults(entry, await takenBy(item)) : [];
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
  return { ...base, definition, ...seenAs(definition) };
}

async function referenceFacts(
  reference: string,
  location: Location,
  place: Place,
): Promise<Pick<EntryFacts, 'reference' | 'lost' | 'wireName' | 'address' | 'leadsTo'>> {
  const lost = await lookUp(place.kind, reference, place, location);
  if (lost) return { reference, lost };
  const definition = await resolve(reference, location, place);
  return { reference, ...(definition && { leadsTo: definition, ...seenAs(definition) }) };
}

/** The item that a name leads to; none if its definition cannot be had, which is told of the item. */
async function resolve(
  reference: string,
  location: Location,
  { kind, workspace, extension }: Place,
): Promise<Definition | undefined> {
  return await workspace.resolveItem(kind, reference, extension, location).catch((error) => {
    if (error instanceof DefinitionError) return undefined;
    throw error;
  });
}

/** What an item takes that a server may fix. A schema that cannot be used is told of the tool. */
async function takenBy(definition: Definition): Promise<Taken> {
  const { kind, value } = definition;
  if (kind === 'tools') {
    const input = await readSchema(definition, 'input').catch(() => undefined);
    return { input, options: isRecord(value.options) ? Object.keys(value.options) : [] };
  }
  if (kind !== 'prompts') return {};
  const declared = withArguments(definition).value.arguments;
  const entries: readonly unknown[] = Array.isArray(declared) ? declared : [];
  return { arguments: entries.flatMap((entry) => (isRecord(entry) ? String(entry.name) : [])) };
}

/** Where a name leads, if it leads nowhere. */
async function lookUp(
  kind: Kind,
  reference: string,
  { extension, workspace }: Pick<Surroundings, 'extension' | 'workspace'>,
  location: Location,
): Promise<LostReference | undefined> {
  try {
    await workspace.locateItem(kind, reference, extension, location);
    return undefined;
  } catch (error) {
    // A toolkit that cannot be read may be what has it: that is told of the toolkit.
    if (error instanceof DefinitionError && !(error instanceof UnknownItemError)) return undefined;
    if (!(error instanceof UnknownItemError)) throw error;
    if (error.foreign) return { isForeign: true, reason: error.message };
    const declared = (await extension.declared(kind)).map(({ name }) => name);
    const reason = `is neither declared nor built in.${wayOut(reference, { what: kind, declared })}`;
    return { isForeign: false, reason };
  }
}

/** Which names there are in place of one that leads nowhere. */
function wayOut(
  reference: string,
  { what, declared }: { readonly what: string; readonly declared: readonly string[] },
): string {
  const meant = didYouMean(reference.slice(reference.lastIndexOf('/') + 1), declared);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  return `${hint} Declared ${what}: ${declared.join(', ') || 'none'}.`;
}

function seenAs({ value, item }: Definition): Pick<EntryFacts, 'wireName' | 'address'> {
  const address = value.uri ?? value.uriTemplate;
  return {
    wireName: typeof value.name === 'string' ? value.name : item,
    ...(typeof address === 'string' && { address }),
  };
}

/** Entries of one kind that show clients the same name, each group with the names it is served under. */
export function sameNames(
  entries: readonly EntryFacts[],
): readonly { readonly entry: EntryFacts; readonly first: EntryFacts; readonly servedAs: string }[] {
  const named = withoutRepeats(
    entries.flatMap((entry) => {
      const { wireName: name, leadsTo, inToolkit = false } = entry;
      return name === undefined
        ? []
        : [{ name, written: leadsTo?.written ?? leadsTo ?? entry, inToolkit, changes: [], entry }];
    }),
  ).map(({ entry }) => entry);
  const served = distinctNames(named.map(({ wireName }) => wireName!));
  const firsts = new Map<string, EntryFacts>();
  return named.flatMap((entry, index) => {
    const first = firsts.get(entry.wireName!);
    if (first) return [{ entry, first, servedAs: served[index]! }];
    firsts.set(entry.wireName!, entry);
    return [];
  });
}

/** The app that a tool, or an entry of a server's list, names under `ui`, if that leads nowhere. */
export async function findLostApp(
  { ui }: Readonly<Record<string, unknown>>,
  place: (path: DocumentPath) => Location,
  surroundings: Pick<Surroundings, 'extension' | 'workspace'>,
): Promise<LostApp | undefined> {
  const [path, reference] = isRecord(ui) ? [['ui', 'app'], ui.app] : [['ui'], ui];
  if (typeof reference !== 'string' || reference === '') return undefined;
  const location = place(path);
  const lost = await lookUp('apps', reference, surroundings, location);
  return lost && { ...lost, reference, location };
}
