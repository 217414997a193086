import { serverLists } from '../../extension/check.js';
import type { ItemRef } from '../../extension/diagnostics.js';
import type { Definition, Extension } from '../../extension/extension.js';
import { implicitServerName } from '../../extension/workspace.js';
import { distinctNames, withoutRepeats } from '../../items/collisions.js';
import { listEntries } from '../../items/entries.js';
import type { SkippedItem } from '../../items/skipped-items.js';
import { locate } from '../../items/read.js';
import { type EntryFacts, entryFacts, seenAs } from './entries.js';
import type { ItemFacts } from './items.js';
import type { NameScope } from './references.js';
import { gatherLostSkills } from './skills.js';

/** A server as far as its lists go. One that no definition describes stands for all that the package declares. */
export interface ServerSnapshot {
  readonly name: string;
  readonly ref: ItemRef;
  readonly entries: readonly EntryFacts[];
  /** Skills that it lists and goes without. */
  readonly lostSkills: readonly SkippedItem[];
}

interface Surroundings extends NameScope {
  readonly items: readonly ItemFacts[];
}

/** Every server of an extension, with what the names in its lists lead to. */
export async function gatherServers({ items, ...scope }: Surroundings): Promise<readonly ServerSnapshot[]> {
  const servers = items.filter(({ kind }) => kind === 'servers');
  if (servers.length === 0) return items.length > 0 ? [implicitServer(scope.extension, items)] : [];
  return await Promise.all(
    servers.map(async ({ name, ref, definition }) => {
      const entries = definition ? await entriesOf(definition, scope) : [];
      const lostSkills = definition ? await gatherLostSkills(definition, scope.workspace) : [];
      return { name, ref, entries, lostSkills };
    }),
  );
}

function implicitServer(extension: Extension, items: readonly ItemFacts[]): ServerSnapshot {
  const server = implicitServerName(extension);
  const entries = items.flatMap((item): EntryFacts[] => {
    const { kind, declaration, definition } = item;
    if (kind === 'servers' || !declaration || !definition) return [];
    const location = locate(definition, [kind === 'resources' ? 'uri' : 'name']);
    return [{ kind, location, reference: item.name, leadsTo: definition, ...seenAs(definition) }];
  });
  return { name: server, ref: { kind: 'server', name: server }, entries, lostSkills: [] };
}

async function entriesOf(server: Definition, scope: NameScope): Promise<EntryFacts[]> {
  const lists = serverLists.map((kind) => {
    const isEverything = server.value[kind] === '*';
    return listEntries(server, kind).map((entry, index) =>
      entryFacts(entry, { kind, server, path: isEverything ? [kind] : [kind, index], ...scope }),
    );
  });
  return (await Promise.all(lists.flat())).flat();
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
