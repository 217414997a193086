import { restoreBuiltIns } from '../base/code-boundary.js';
import { plainData } from '../base/plain-data.js';
import type { ItemQuery, ItemRegistry, ListedItem, ListedKind, ShownQuery } from './context.js';
import type { ListPage } from './paging.js';
import type { ListOptions, ServedKind, SpecOf } from './served-kind.js';
import { isAppOnly } from './ui.js';

/** Options for a view of the items. */
export interface RegistryViewOptions {
  /** Kind of a query without a kind. Default: `tools`. */
  readonly kind?: ListedKind;
  /** Returns the cursor of the first page of that kind, for a query without a cursor. */
  readonly start?: () => string | undefined;
  /** True if tools that only apps may call count as hidden. Default: true. */
  readonly hidesAppTools?: boolean;
}

/** The lookups that a view needs. */
export interface ItemLookup {
  all<K extends ServedKind>(kind: K): readonly SpecOf<K>[];
  resolve<K extends ServedKind>(kind: K, name: string): SpecOf<K> | undefined;
  list<K extends ServedKind>(kind: K, options: ListOptions<SpecOf<K>>): ListPage<SpecOf<K>>;
}

/** The items of a server as its handlers and hooks see them. */
export function handlerRegistryView(
  registry: ItemLookup,
  { kind: usual = 'tools', start, hidesAppTools = true }: RegistryViewOptions = {},
): ItemRegistry {
  return {
    list({ kind = usual, pageSize = Number.POSITIVE_INFINITY, ...query }: ItemQuery = {}) {
      restoreBuiltIns();
      if (!(pageSize >= 1)) throw new RangeError(`pageSize is ${pageSize}; it has to be 1 or more.`);
      const isAll = query.includeHidden || !hidesAppTools;
      const keep = isAll ? undefined : (spec: SpecOf<ServedKind>) => !isForAppsOnly(spec);
      const isGoingOn = kind === usual && Number.isFinite(pageSize);
      const cursor = query.cursor ?? (isGoingOn ? start?.() : undefined);
      const options = { ...query, cursor, pageSize: Math.ceil(pageSize), ...(keep && { keep }) };
      const { items, ...next } = registry.list(kind, options);
      return { items: items.map((spec) => toListedItem(spec)), ...next };
    },
    resolve(name: string, kind: ListedKind = usual) {
      restoreBuiltIns();
      const found =
        kind === 'resources'
          ? (registry.all(kind).find(({ uri, uriTemplate }) => (uri ?? uriTemplate) === name) ??
            registry.resolve(kind, name))
          : registry.resolve(kind, name);
      return found && toListedItem(found);
    },
    // Shows all items, because no client sends this query.
    shown: async ({ kind = usual, name }: ShownQuery = {}) =>
      registry
        .all(kind)
        .filter((spec) => name === undefined || spec.name === name)
        .map((spec) => toListedItem(spec)),
  };
}

/** Handlers get copies, because they must not change served items. */
export function toListedItem(
  spec: SpecOf<ServedKind>,
  wire: Readonly<Record<string, unknown>> = spec.wire,
): ListedItem {
  const { kind, name, item } = spec;
  const definition = plainData(wire).value as typeof wire;
  const forApps = isForAppsOnly(spec);
  return { kind, name, item, definition, hidden: spec.hidden || forApps, ...(forApps && { forApps }) };
}

function isForAppsOnly(spec: SpecOf<ServedKind>): boolean {
  return spec.kind === 'tools' && isAppOnly(spec);
}
