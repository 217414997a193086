import { serverLists } from '../../extension/check-definition.js';
import type { ItemRef } from '../../extension/diagnostics.js';
import type { Definition, Extension } from '../../extension/extension.js';
import { implicitServerName } from '../../extension/workspace.js';
import { distinctNames, withoutRepeats } from '../../runtime/distinct-names.js';
import { listEntries } from '../../runtime/list-entries.js';
import { locate } from '../../runtime/read-definition.js';
import type { SkippedItem } from '../../runtime/skipped-items.js';
import { clientView, type EntrySnapshot, entryFacts } from './entries.js';
import type { ItemSnapshot } from './items.js';
import type { NameScope } from './references.js';
import { gatherLostSkills } from './skills.js';

/**
 * A server with its list entries. A package without a server definition has one server for all declared
 * items.
 */
export interface ServerSnapshot {
  readonly name: string;
  readonly ref: ItemRef;
  readonly entries: readonly EntrySnapshot[];
  /** Skills that it lists and cannot serve. */
  readonly lostSkills: readonly SkippedItem[];
}

interface ServerGatherInput extends NameScope {
  readonly items: readonly ItemSnapshot[];
}

/** Every server of an extension, with the resolved entries of its lists. */
export async function gatherServers({
  items,
  ...scope
}: ServerGatherInput): Promise<readonly ServerSnapshot[]> {
  const servers = items.filter(({ kind }) => kind === 'servers');
  if (servers.length === 0) return items.length > 0 ? [snapshotImplicitServer(scope.extension, items)] : [];
  return await Promise.all(
    servers.map(async ({ name, ref, definition }) => {
      const entries = definition ? await gatherServerEntries(definition, scope) : [];
      const lostSkills = definition ? await gatherLostSkills(definition, scope.workspace) : [];
      return { name, ref, entries, lostSkills };
    }),
  );
}

function snapshotImplicitServer(extension: Extension, items: readonly ItemSnapshot[]): ServerSnapshot {
  const server = implicitServerName(extension);
  const entries = items.flatMap((item): EntrySnapshot[] => {
    const { kind, declaration, definition } = item;
    if (kind === 'servers' || !declaration || !definition) return [];
    const location = locate(definition, [kind === 'resources' ? 'uri' : 'name']);
    return [{ kind, location, reference: item.name, leadsTo: definition, ...clientView(definition) }];
  });
  return { name: server, ref: { kind: 'server', name: server }, entries, lostSkills: [] };
}

async function gatherServerEntries(server: Definition, scope: NameScope): Promise<EntrySnapshot[]> {
  const lists = serverLists.map((kind) => {
    const isEverything = server.value[kind] === '*';
    return listEntries(server, kind).map((entry, index) =>
      entryFacts(entry, { kind, server, path: isEverything ? [kind] : [kind, index], ...scope }),
    );
  });
  return (await Promise.all(lists.flat())).flat();
}

/** Entries of one kind with a wire name that an earlier entry has, and the name that each is served under. */
export function sameNames(
  entries: readonly EntrySnapshot[],
): readonly { readonly entry: EntrySnapshot; readonly first: EntrySnapshot; readonly servedAs: string }[] {
  const named = withoutRepeats(
    entries.flatMap((entry) => {
      const { wireName: name, leadsTo, inToolkit = false } = entry;
      return name === undefined
        ? []
        : [{ name, written: leadsTo?.written ?? leadsTo ?? entry, inToolkit, changes: [], entry }];
    }),
  ).map(({ entry }) => entry);
  const served = distinctNames(named.map(({ wireName }) => wireName!));
  const firsts = new Map<string, EntrySnapshot>();
  return named.flatMap((entry, index) => {
    const first = firsts.get(entry.wireName!);
    if (first) return [{ entry, first, servedAs: served[index]! }];
    firsts.set(entry.wireName!, entry);
    return [];
  });
}

/** True if models see the hidden tools of a server: it lists the built-in tool `catalog`. */
export function showsHidden(
  { name, definition }: ItemSnapshot,
  {
    items,
    servers,
  }: { readonly items: readonly ItemSnapshot[]; readonly servers: readonly ServerSnapshot[] },
): boolean {
  if (definition?.value.toolList === 'catalog') return true;
  const isOwn = items.some((item) => item.kind === 'tools' && item.name === 'catalog' && item.declaration);
  const server = servers.find((one) => one.name === name);
  return (
    !isOwn &&
    (server?.entries.some(({ kind, reference }) => kind === 'tools' && reference === 'catalog') ?? false)
  );
}
