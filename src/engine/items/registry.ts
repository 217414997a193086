import { isRecord } from '../extension/shapes.js';
import { distinctNames } from './collisions.js';
import type { ItemQuery, ItemRegistry, ListedItem, ListedKind, ShownQuery } from './context.js';
import type { PromptSpec, ResourceSpec, ToolSpec } from './specs.js';
import { isAppOnly } from './ui.js';

interface Specs {
  tools: ToolSpec;
  prompts: PromptSpec;
  resources: ResourceSpec;
}

/** An item of a kind. */
export type SpecOf<K extends ServedKind> = Specs[K];

/** The kinds a client can list. */
export type ServedKind = ListedKind;

export const listedKinds = ['tools', 'prompts', 'resources'] as const satisfies readonly ListedKind[];

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Opaque; absent on the last page. */
  readonly nextCursor?: string;
}

export interface ListOptions<S> {
  readonly includeHidden?: boolean;
  readonly cursor?: string | undefined;
  readonly pageSize?: number;
  /** Which of them; all when absent. */
  readonly keep?: (spec: S) => boolean;
}

/** A cursor that this registry did not give out. */
export class CursorError extends Error {
  override readonly name = 'CursorError';
}

/** Many clients read the first page only, so pages are long. */
const defaultPageSize = 500;

export interface RegistryOptions {
  readonly pageSize?: number | undefined;
  /** Wire names of the tools that stand for all others. */
  readonly fronts?: ReadonlySet<string> | undefined;
}

/** The items of one server by wire name. Whatever lists, calls, shows or checks items asks this. */
export class Registry {
  readonly #specs: { readonly [K in ServedKind]: readonly Specs[K][] };
  readonly #byName: { readonly [K in ServedKind]: ReadonlyMap<string, Specs[K]> };
  /** Entries per page of a list. */
  readonly pageSize: number;
  /** The tools that clients are listed where these stand for all others; undefined where none do. */
  readonly fronts: ReadonlySet<string> | undefined;
  #forHandlers: ItemRegistry | undefined;

  constructor(
    specs: { readonly [K in ServedKind]: readonly Specs[K][] },
    { pageSize = defaultPageSize, fronts }: RegistryOptions = {},
  ) {
    this.#specs = {
      tools: withOwnNames(specs.tools),
      prompts: withOwnNames(specs.prompts),
      resources: specs.resources,
    };
    this.#byName = {
      tools: indexed(this.#specs.tools),
      prompts: indexed(this.#specs.prompts),
      resources: indexed(this.#specs.resources),
    };
    this.pageSize = pageSize;
    this.fronts = fronts;
  }

  all<K extends ServedKind>(kind: K): readonly Specs[K][] {
    return this.#specs[kind];
  }

  /** By wire name; hidden items too. */
  resolve<K extends ServedKind>(kind: K, name: string): Specs[K] | undefined {
    return this.#byName[kind].get(name);
  }

  /** The items as handlers see them: `ctx.registry`. */
  get forHandlers(): ItemRegistry {
    this.#forHandlers ??= handlersView(this);
    return this.#forHandlers;
  }

  /** The items as the hook of a list sees them. */
  forHook(kind: ListedKind, view: Omit<View, 'kind'>): ItemRegistry {
    return handlersView(this, { ...view, kind });
  }

  /** What a list method shows. @throws CursorError for a cursor that is not ours. */
  list<K extends ServedKind>(
    kind: K,
    { includeHidden = false, cursor, pageSize, keep }: ListOptions<Specs[K]> = {},
  ): Page<Specs[K]> {
    const all = this.#specs[kind];
    const specs = keep ? all.filter(keep) : all;
    return page(
      includeHidden ? specs : specs.filter(({ hidden }) => !hidden),
      cursor,
      pageSize ?? this.pageSize,
    );
  }
}

interface View {
  /** What is asked for without a kind. */
  readonly kind?: ListedKind;
  /** Tells where pages of that kind begin, unless the query does. */
  readonly start?: () => string | undefined;
  /** Whether tools that only apps may call count as hidden. */
  readonly hidesAppTools?: boolean;
}

function handlersView(
  registry: Registry,
  { kind: usual = 'tools', start, hidesAppTools = true }: View = {},
): ItemRegistry {
  return {
    list({ kind = usual, pageSize = Number.POSITIVE_INFINITY, ...query }: ItemQuery = {}) {
      if (!(pageSize >= 1)) throw new RangeError(`pageSize is ${pageSize}; it has to be 1 or more.`);
      const isAll = query.includeHidden || !hidesAppTools;
      const keep = isAll ? undefined : (spec: Specs[ServedKind]) => !isForApps(spec);
      const isGoingOn = kind === usual && Number.isFinite(pageSize);
      const cursor = query.cursor ?? (isGoingOn ? start?.() : undefined);
      const options = { ...query, cursor, pageSize: Math.ceil(pageSize), ...(keep && { keep }) };
      const { items, ...next } = registry.list(kind, options);
      return { items: items.map((spec) => asListed(spec)), ...next };
    },
    resolve(name: string, kind: ListedKind = usual) {
      const found =
        kind === 'resources'
          ? (registry.all(kind).find(({ uri, uriTemplate }) => (uri ?? uriTemplate) === name) ??
            registry.resolve(kind, name))
          : registry.resolve(kind, name);
      return found && asListed(found);
    },
    // Where no client asks, it is shown what there is.
    shown: async ({ kind = usual, name }: ShownQuery = {}) =>
      registry
        .all(kind)
        .filter((spec) => name === undefined || spec.name === name)
        .map((spec) => asListed(spec)),
  };
}

/** Handlers get copies: what is served is not theirs to change. */
export function asListed(
  spec: Specs[ServedKind],
  wire: Readonly<Record<string, unknown>> = spec.wire,
): ListedItem {
  const { kind, name, item } = spec;
  const definition = JSON.parse(JSON.stringify(wire)) as typeof wire;
  const forApps = isForApps(spec);
  return { kind, name, item, definition, hidden: spec.hidden || forApps, ...(forApps && { forApps }) };
}

function isForApps(spec: Specs[ServedKind]): boolean {
  return spec.kind === 'tools' && isAppOnly(spec);
}

/**
 * Cuts one page out of a list, which may have changed since the page before: the cursor knows the last entry that was
 * sent, and goes on behind it wherever that is now.
 * @throws CursorError for a cursor that {@link page} did not make, or whose entry has gone.
 */
export function page<T>(items: readonly T[], cursor: string | undefined, size: number): Page<T> {
  const start = cursor === undefined ? 0 : readCursor(cursor, items);
  const end = start + size;
  return {
    items: items.slice(start, end),
    ...(end < items.length && { nextCursor: makeCursor(end, items) }),
  };
}

/** How many entries came before, and the last of them. */
type Place = readonly [count: number, last: string];

function makeCursor(count: number, items: readonly unknown[]): string {
  return encodeCursor([count, keyOf(items[count - 1])]);
}

function encodeCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function readCursor(cursor: string, items: readonly unknown[]): number {
  const [count, last] = placeOf(cursor);
  if (count <= items.length && keyOf(items[count - 1]) === last) return count;
  const index = items.findIndex((item) => keyOf(item) === last);
  if (index === -1) throw new CursorError('Invalid cursor');
  return index + 1;
}

function placeOf(cursor: string): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [count, last] = place as Place;
    const isPlace = Number.isSafeInteger(count) && count >= 1 && typeof last === 'string';
    if (isPlace && encodeCursor([count, last]) === cursor) return [count, last];
  } catch {
    // Whatever it is, it is not ours.
  }
  throw new CursorError('Invalid cursor');
}

/** What tells an entry of a list, or what one is made of, from the others. */
function keyOf(item: unknown): string {
  if (!isRecord(item)) return String(item);
  const { uri, uriTemplate, name } = isRecord(item.wire) ? item.wire : item;
  return String(uri ?? uriTemplate ?? name);
}

function withOwnNames<S extends ToolSpec | PromptSpec>(specs: readonly S[]): readonly S[] {
  const names = distinctNames(specs.map(({ name }) => name));
  return specs.map((spec, index) => {
    const name = names[index]!;
    return name === spec.name ? spec : { ...spec, name, wire: { ...spec.wire, name } };
  });
}

function indexed<S extends { readonly name: string }>(specs: readonly S[]): ReadonlyMap<string, S> {
  return new Map(specs.map((spec) => [spec.name, spec]));
}
