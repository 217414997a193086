import { canonical } from '../base/canonical-json.js';
import { type ValueDifference, valuesBetween } from '../base/value-differences.js';
import { singular } from '../extension/item-kinds.js';
import type { Servable } from '../runtime/compose-server.js';
import { listedKinds, type ServedKind, type SpecOf } from '../runtime/served-kind.js';
import { usedUpstreams } from '../runtime/used-upstreams.js';

type Value = Readonly<Record<string, unknown>>;

/** The texts and items that clients give to the model. */
export interface ModelSurface {
  /** `title`, `description` and `instructions` of the server. */
  readonly server: Value;
  /** List entries by kind, and by name or URI. */
  readonly items: Readonly<Record<ServedKind, ReadonlyMap<string, Value>>>;
  /** Variables and hosts of the upstream servers, by their names, which several servers may share. */
  readonly exposures: Readonly<Record<string, readonly Exposure[]>>;
  /**
   * True if it was recorded before an update of the package. Then only items of upstream servers are compared with it: the
   * package is compared by its files. Default: false.
   */
  readonly isOutdated?: boolean;
}

/** Variables of the environment that an upstream server gets, and its host; null for a program. */
export interface Exposure {
  readonly variables: readonly string[];
  readonly host: string | null;
}

/** The upstream servers that a composed server uses, each with its exposure. */
function exposuresOf(server: Servable): ModelSurface['exposures'] {
  const found = new Map<string, Exposure[]>();
  for (const { name, exposure } of usedUpstreams(server)) {
    if (!exposure) continue;
    const { variables, host = null } = exposure;
    found.set(name, [...(found.get(name) ?? []), { variables, host }]);
  }
  return Object.fromEntries(found);
}

/** The surface of a server. Catalog tools are left out: AgentTools writes them, from the other tools. */
export function surfaceOf(server: Servable): ModelSurface {
  const { info, instructions, registry } = server;
  const itemsOf = (kind: ServedKind) =>
    new Map(
      registry
        .all(kind)
        .filter((spec) => !registry.fronts?.has(spec.name))
        .map((spec) => [surfaceName(spec), spec.wire]),
    );
  const { title, description } = info;
  return {
    server: { title, description, instructions },
    items: { tools: itemsOf('tools'), prompts: itemsOf('prompts'), resources: itemsOf('resources') },
    exposures: exposuresOf(server),
  };
}

/** Name of an item in a surface: the URI or URI template of a resource, else the name. */
export function surfaceName(spec: SpecOf<ServedKind>): string {
  return spec.kind === 'resources' ? (spec.uri ?? spec.uriTemplate ?? spec.name) : spec.name;
}

/** The texts of a surface that models read, by item. */
export function* surfaceTexts({
  server,
  items,
}: ModelSurface): Generator<{ readonly kind: string; readonly name?: string; readonly value: Value }> {
  yield { kind: 'server', value: server };
  for (const kind of listedKinds)
    for (const [name, value] of items[kind]) yield { kind: singular[kind], name, value };
}

/** True if two list entries are equal; the order of keys does not count. */
export function isSameEntry(one: Value | undefined, other: Value | undefined): boolean {
  return one !== undefined && other !== undefined && canonical(one) === canonical(other);
}

/** A difference between two surfaces. */
export interface SurfaceDifference {
  readonly kind: ServedKind | 'server' | 'upstream';
  readonly name: string;
  readonly change: 'new' | 'gone' | 'changed';
  /** Changed values. */
  readonly values: readonly ValueDifference[];
}

/** Compares two surfaces: the server itself, its upstream servers, then items by kind and name. */
export function compareSurfaces(before: ModelSurface, after: ModelSurface): readonly SurfaceDifference[] {
  const values = [...valuesBetween(before.server, after.server)];
  const own: SurfaceDifference[] =
    values.length > 0 ? [{ kind: 'server', name: 'server', change: 'changed', values }] : [];
  return [
    ...own,
    ...compareItems('upstream', exposureMap(before), exposureMap(after)),
    ...listedKinds.flatMap((kind) => compareItems(kind, before.items[kind], after.items[kind])),
  ];
}

function exposureMap({ exposures }: ModelSurface): ReadonlyMap<string, Value> {
  return new Map(Object.entries(exposures).map(([name, exposure]) => [name, { exposure }]));
}

function compareItems(
  kind: SurfaceDifference['kind'],
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): readonly SurfaceDifference[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): SurfaceDifference[] => {
    const [was, is] = [before.get(name), after.get(name)];
    if (!was) return [{ kind, name, change: 'new', values: [] }];
    if (!is) return [{ kind, name, change: 'gone', values: [] }];
    return isSameEntry(was, is)
      ? []
      : [{ kind, name, change: 'changed', values: [...valuesBetween(was, is)] }];
  });
}
