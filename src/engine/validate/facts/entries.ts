import type { serverLists } from '../../extension/check.js';
import { checkUpstreamEntry, isUpstreamEntry } from '../../extension/check-upstream.js';
import type { Location } from '../../extension/diagnostics.js';
import { type Definition, DefinitionError } from '../../extension/extension.js';
import { describeFault } from '../../extension/faults.js';
import { checkShape, isRecord, overrideShapes } from '../../extension/shapes.js';
import { isToolkit } from '../../extension/toolkits.js';
import { UnknownItemError } from '../../extension/workspace.js';
import type { DocumentPath } from '../../files/document.js';
import { inline, isToolkitEntry, isUse, type ResolvedItem, resolveEntry } from '../../items/entries.js';
import { type FixFault, findFixFaults, type AcceptedArguments } from '../../items/override-faults.js';
import { withArguments } from '../../items/prompt.js';
import { locate } from '../../items/read.js';
import { readInput } from '../../items/tool.js';
import {
  findUnresolved,
  findLostApp,
  type LostApp,
  type UnresolvedReference,
  type NameScope,
  suggestNames,
} from './references.js';

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
  readonly lost?: UnresolvedReference;
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

/** Where an entry stands. */
interface EntryCheckContext extends NameScope {
  readonly kind: (typeof serverLists)[number];
  readonly server: Definition;
  readonly path: readonly (string | number)[];
}

/** What an entry of a list comes to: one item, several, or nothing. */
export async function entryFacts(entry: unknown, place: EntryCheckContext): Promise<readonly EntryFacts[]> {
  const one = await singleFacts(entry, place);
  return one ? [one] : isRecord(entry) ? await severalFacts(entry, place) : [];
}

/** What an entry stands for that may be several tools, or a definition with changes. */
async function severalFacts(
  entry: Readonly<Record<string, unknown>>,
  place: EntryCheckContext,
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
): Promise<EntryFacts> {
  const isHere = reference === undefined || definition.file === server.file;
  const taken = await takenBy(definition);
  const faults = await Promise.all(
    changes.map(async ({ override, path: at }) => {
      const what = `Server "${server.item}", ${calledEntry(override.use, at)},`;
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
async function singleFacts(entry: unknown, place: EntryCheckContext): Promise<EntryFacts | undefined> {
  const { kind, server, path } = place;
  const base = { kind, location: locate(server, path) };
  if (kind === 'tools' && isUpstreamEntry(entry)) return { ...base, faults: upstreamFaults(entry, place) };
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

function upstreamFaults(
  entry: Readonly<Record<string, unknown>>,
  { server, path }: EntryCheckContext,
): readonly EntryFault[] {
  return [...checkUpstreamEntry(entry)].map((fault) => ({
    location: {
      ...locate(server, [...path, ...fault.path]),
      ...(fault.problem === 'unknown' && { key: true }),
    },
    message: describeFault(`Server "${server.item}", ${calledEntry(undefined, path)},`, fault),
  }));
}

async function referenceFacts(
  reference: string,
  location: Location,
  place: EntryCheckContext,
): Promise<Pick<EntryFacts, 'reference' | 'lost' | 'wireName' | 'address' | 'leadsTo'>> {
  const lost = await findUnresolved(place.kind, reference, { ...place, location });
  if (lost) return { reference, lost };
  const definition = await resolve(reference, location, place);
  return { reference, ...(definition && { leadsTo: definition, ...seenAs(definition) }) };
}

/** The item that a name leads to; none if its definition cannot be had, which is told of the item. */
async function resolve(
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
async function takenBy(definition: Definition): Promise<AcceptedArguments> {
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
export function calledEntry(reference: unknown, [list, index]: DocumentPath): string {
  const number = typeof index === 'number' ? ` ${index + 1}` : '';
  return `entry${number}${typeof reference === 'string' ? ` "${reference}"` : ''} of "${list}"`;
}

/** What clients see of an item. */
export function seenAs({ value, item }: Definition): Pick<EntryFacts, 'wireName' | 'address'> {
  const address = value.uri ?? value.uriTemplate;
  return {
    wireName: typeof value.name === 'string' ? value.name : item,
    ...(typeof address === 'string' && { address }),
  };
}
