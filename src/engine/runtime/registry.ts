import type { ItemRegistry, ListedKind } from './context.js';
import { distinctNames } from './distinct-names.js';
import { type ListPage, page } from './paging.js';
import { handlerRegistryView, type RegistryViewOptions } from './registry-view.js';
import type { ListOptions, ServedKind, SpecsByKind } from './served-kind.js';
import type { PromptSpec, ToolSpec } from './specs.js';

/** Pages are long, because many clients read only the first page. */
const defaultPageSize = 500;

export interface RegistryOptions {
  readonly pageSize?: number | undefined;
  /** Wire names of the catalog tools. */
  readonly fronts?: ReadonlySet<string> | undefined;
}

/** The items of one server by wire name. Lists, calls, checks and displays of items all use it. */
export class Registry {
  readonly #specs: { readonly [K in ServedKind]: readonly SpecsByKind[K][] };
  readonly #byName: { readonly [K in ServedKind]: ReadonlyMap<string, SpecsByKind[K]> };
  /** Entries per page of a list. */
  readonly pageSize: number;
  /** Wire names of the catalog tools, the only tools that clients see in lists; undefined without a catalog. */
  readonly fronts: ReadonlySet<string> | undefined;
  #forHandlers: ItemRegistry | undefined;

  constructor(
    specs: { readonly [K in ServedKind]: readonly SpecsByKind[K][] },
    { pageSize = defaultPageSize, fronts }: RegistryOptions = {},
  ) {
    this.#specs = {
      tools: withOwnNames(specs.tools),
      prompts: withOwnNames(specs.prompts),
      resources: specs.resources,
    };
    this.#byName = {
      tools: indexByName(this.#specs.tools),
      prompts: indexByName(this.#specs.prompts),
      resources: indexByName(this.#specs.resources),
    };
    this.pageSize = pageSize;
    this.fronts = fronts;
  }

  all<K extends ServedKind>(kind: K): readonly SpecsByKind[K][] {
    return this.#specs[kind];
  }

  /** Finds an item by wire name, even if it is hidden. */
  resolve<K extends ServedKind>(kind: K, name: string): SpecsByKind[K] | undefined {
    return this.#byName[kind].get(name);
  }

  /** The items as handlers see them: `ctx.registry`. */
  get forHandlers(): ItemRegistry {
    this.#forHandlers ??= handlerRegistryView(this);
    return this.#forHandlers;
  }

  /** The items as the hook of a list sees them. */
  forHook(kind: ListedKind, view: Omit<RegistryViewOptions, 'kind'>): ItemRegistry {
    return handlerRegistryView(this, { ...view, kind });
  }

  /** A page of the list method. @throws CursorError for a cursor that this list did not return. */
  list<K extends ServedKind>(
    kind: K,
    { includeHidden = false, cursor, pageSize, keep }: ListOptions<SpecsByKind[K]> = {},
  ): ListPage<SpecsByKind[K]> {
    const all = this.#specs[kind];
    const specs = keep ? all.filter(keep) : all;
    return page(
      includeHidden ? specs : specs.filter(({ hidden }) => !hidden),
      cursor,
      pageSize ?? this.pageSize,
    );
  }
}

function withOwnNames<S extends ToolSpec | PromptSpec>(specs: readonly S[]): readonly S[] {
  const names = distinctNames(specs.map(({ name }) => name));
  return specs.map((spec, index) => {
    const name = names[index]!;
    return name === spec.name ? spec : { ...spec, name, wire: { ...spec.wire, name } };
  });
}

function indexByName<S extends { readonly name: string; readonly otherName?: string }>(
  specs: readonly S[],
): ReadonlyMap<string, S> {
  const others = specs.filter(({ otherName }) => otherName !== undefined);
  return new Map([
    ...others.map((spec) => [spec.otherName!, spec] as const),
    ...specs.map((spec) => [spec.name, spec] as const),
  ]);
}
