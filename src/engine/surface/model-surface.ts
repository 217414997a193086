import { canonical } from '../base/canonical-json.js';
import type { UnknownRecord } from '../base/value-checks.js';
import { type ValueDifference, valuesBetween } from '../base/value-differences.js';
import { singular } from '../extension/item-kinds.js';
import type { Servable } from '../runtime/compose-server.js';
import { listedKinds, type ServedKind, type SpecOf } from '../runtime/served-kind.js';
import { uiMeta } from '../runtime/ui.js';
import type { UpstreamSkills } from '../runtime/upstream.js';
import { usedUpstreams } from '../runtime/used-upstreams.js';

/** The texts and items that clients give to the model. */
export interface ModelSurface {
  /** Instructions and serverInfo of the server, without its version. */
  readonly server: UnknownRecord;
  /** List entries by kind, and by name or URI. */
  readonly items: Readonly<Record<ServedKind, ReadonlyMap<string, UnknownRecord>>>;
  /** Entries of skills of upstream servers, by URI. Default: none. */
  readonly skills?: UpstreamSkills;
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
  const { info, instructions, registry, upstreamSkills: skills } = server;
  const itemsOf = (kind: ServedKind) =>
    new Map(
      registry
        .all(kind)
        .filter((spec) => !isCatalogTool(spec, registry))
        .map((spec) => [surfaceName(spec), surfaceEntry(spec)]),
    );
  const { version: _, ...texts } = info;
  return {
    server: { ...texts, instructions },
    ...(skills && { skills }),
    items: { tools: itemsOf('tools'), prompts: itemsOf('prompts'), resources: itemsOf('resources') },
    exposures: exposuresOf(server),
  };
}

/** True for a tool that AgentTools adds to a server with a catalog. */
export function isCatalogTool({ kind, name }: SpecOf<ServedKind>, { fronts }: Servable['registry']): boolean {
  return kind === 'tools' && (fronts?.has(name) ?? false);
}

/**
 * The list entry of an item, with its UI for clients that show UI, and the name of its upstream server: another server
 * may list the same entry to get the calls.
 */
export function surfaceEntry(spec: SpecOf<ServedKind>): UnknownRecord {
  const ui = spec.kind === 'tools' && spec.ui ? uiMeta(spec.ui, { withApp: true }) : undefined;
  const upstream = spec.upstream?.upstream.name;
  return { ...spec.wire, ...(ui && { ui }), ...(upstream !== undefined && { upstream }) };
}

/** Name of an item in a surface: the URI or URI template of a resource, else the name. */
export function surfaceName(spec: SpecOf<ServedKind>): string {
  return spec.kind === 'resources' ? (spec.uri ?? spec.uriTemplate ?? spec.name) : spec.name;
}

/** The texts of a surface that models read, by item. */
export function* surfaceTexts({ server, items, skills = new Map() }: ModelSurface): Generator<{
  readonly kind: string;
  readonly name?: string;
  readonly value: UnknownRecord;
}> {
  yield { kind: 'server', value: server };
  for (const kind of listedKinds)
    for (const [name, value] of items[kind]) yield { kind: singular[kind], name, value };
  for (const [name, value] of skills) yield { kind: 'skill', name, value };
}

/** True if two list entries are equal; the order of keys does not count. */
export function isSameEntry(one: UnknownRecord | undefined, other: UnknownRecord | undefined): boolean {
  return one !== undefined && other !== undefined && canonical(one) === canonical(other);
}

/** A difference between two surfaces. */
export interface SurfaceDifference {
  readonly kind: ServedKind | 'server' | 'upstream' | 'skill';
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
    ...compareItems('skill', before.skills ?? new Map(), after.skills ?? new Map()),
  ];
}

function exposureMap({ exposures }: ModelSurface): ReadonlyMap<string, UnknownRecord> {
  return new Map(Object.entries(exposures).map(([name, exposure]) => [name, { exposure }]));
}

function compareItems(
  kind: SurfaceDifference['kind'],
  before: ReadonlyMap<string, UnknownRecord>,
  after: ReadonlyMap<string, UnknownRecord>,
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
