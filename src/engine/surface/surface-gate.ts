import { writeFileSync } from 'node:fs';
import { toOneLine } from '../base/to-one-line.js';
import { isRecord } from '../base/value-checks.js';
import { singular } from '../extension/item-kinds.js';
import type { SurfaceGate } from '../live/live-server.js';
import type { Servable } from '../runtime/compose-server.js';
import { Registry } from '../runtime/registry.js';
import type { ServedKind, SpecOf } from '../runtime/served-kind.js';
import { reportOnce } from '../runtime/server-runtime.js';
import type { ToolSpec } from '../runtime/specs.js';
import type { UpstreamSkills, UpstreamSpec } from '../runtime/upstream.js';
import {
  compareSurfaces,
  isCatalogTool,
  isSameEntry,
  type ModelSurface,
  type SurfaceDifference,
  surfaceEntry,
  surfaceName,
  surfaceOf,
} from './model-surface.js';
import { formatKeyed } from './surface-records.js';

/** Extent of a refusal: the changed item, or the server. */
export type FrozenExtent = 'item' | 'server';

interface FrozenGateOptions {
  /** Undefined if none is recorded. */
  readonly record: ModelSurface | undefined;
  readonly extent: FrozenExtent;
  /** Command that records the surface. */
  readonly renewal: string;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** A gate that refuses items and texts that differ from the record. */
export class FrozenGate implements SurfaceGate {
  readonly #options: FrozenGateOptions;
  /** True if the texts of the server have changed, and the server is refused as a whole. */
  #isRefused = false;
  /** The server that was compared last. */
  #compared: { readonly server?: Servable; readonly composed?: Servable } = {};

  constructor(options: FrozenGateOptions) {
    this.#options = options;
  }

  admit(composed: Servable): Servable {
    const { record } = this.#options;
    if (record?.isOutdated) return composed;
    const isAdmitted = (upstream: UpstreamSpec) => {
      const refusal = record ? exposureRefusal(upstream, record) : 'it is not recorded';
      if (refusal === undefined) return true;
      const { renewal } = this.#options;
      const line = `frozen: the upstream server "${upstream.name}" is not opened, since ${refusal}. Record it with: ${renewal}`;
      reportOnce(this.#options, toOneLine(line));
      return false;
    };
    const { registry, upstreams, baseItems } = composed;
    const admitted = (tools: readonly ToolSpec[]) =>
      tools.filter(({ upstream }) => !upstream || isAdmitted(upstream.upstream));
    return {
      ...composed,
      upstreams: upstreams.filter(({ upstream }) => isAdmitted(upstream)),
      ...(baseItems && { baseItems: { ...baseItems, tools: admitted(baseItems.tools) } }),
      registry: new Registry(
        {
          tools: admitted(registry.all('tools')),
          prompts: registry.all('prompts'),
          resources: registry.all('resources'),
        },
        registry,
      ),
    };
  }

  apply(server: Servable, composed: Servable): Servable {
    const { extent } = this.#options;
    const allowed = this.#allowed(composed);
    const { registry } = server;
    const isKept = (spec: SpecOf<ServedKind>) =>
      isCatalogTool(spec, registry) ||
      isSameEntry(allowed.items[spec.kind].get(surfaceName(spec)), surfaceEntry(spec));
    const kept = {
      tools: registry.all('tools').filter(isKept),
      prompts: registry.all('prompts').filter(isKept),
      resources: registry.all('resources').filter(isKept),
    };
    const skills = keptSkills(server, allowed);
    const resources = kept.resources.filter(({ uri }) => uri === undefined || !skills.refusedFiles.has(uri));
    const isWhole =
      skills.kept.size === (server.upstreamSkills?.size ?? 0) &&
      registry.all('tools').length === kept.tools.length &&
      registry.all('prompts').length === kept.prompts.length &&
      registry.all('resources').length === resources.length;
    const isRefused = extent === 'server' && (this.#isRefused || !isWhole);
    const { name, version } = isRefused ? { ...server.info, name: composed.info.name } : server.info;
    const { instructions, ...texts } = isRefused ? {} : allowed.server;
    const { upstreamSkills: _, ...others } = server;
    const nothing = { tools: [], prompts: [], resources: [] };
    const served = new Registry(isRefused ? nothing : { ...kept, resources }, {
      pageSize: registry.pageSize,
      fronts: isRefused ? undefined : registry.fronts,
    });
    const refusedUris = new Set(
      registry.all('resources').flatMap((spec) => (resources.includes(spec) ? [] : (spec.uri ?? []))),
    );
    const refusedTemplates = registry
      .all('resources')
      .filter((spec) => spec.uri === undefined && !resources.includes(spec));
    const refuses = (uri: string) =>
      isRefused ||
      refusedUris.has(uri) ||
      skills.refusedFiles.has(uri) ||
      refusedTemplates.some(({ template }) => template?.match(uri));
    return {
      ...others,
      info: { name, version, ...texts } as Servable['info'],
      instructions: instructions as string | undefined,
      ...(!isRefused && skills.kept.size > 0 && { upstreamSkills: skills.kept }),
      registry: served,
      refuses,
      ...(isRefused && { apps: new Map(), skills: [] }),
    };
  }

  listed(server: Servable, composed: Servable): boolean {
    // Lists are requested more often than servers change.
    if (server === this.#compared.server && composed === this.#compared.composed) return false;
    this.#compared = { server, composed };
    const { extent } = this.#options;
    const found = compareSurfaces(this.#allowed(composed), surfaceOf(server));
    const refused = found.filter(({ kind, change }) => kind !== 'upstream' && change !== 'gone');
    const wasRefused = this.#isRefused;
    this.#isRefused ||= refused.some(({ kind }) => kind === 'server');
    for (const difference of refused) reportOnce(this.#options, this.#refusal(difference));
    if (extent === 'server' && refused.length > 0) {
      reportOnce(this.#options, 'frozen: the server lists nothing, because of these changes.');
    }
    return this.#isRefused !== wasRefused;
  }

  /** Items of packages are compared by file as long as none are recorded. */
  #allowed(composed: Servable): ModelSurface {
    const { record } = this.#options;
    if (record && !record.isOutdated) return record;
    const own = surfaceOf(composed);
    if (!record) return own;
    const itemsOf = (kind: ServedKind) => new Map([...record.items[kind], ...own.items[kind]]);
    return {
      server: composed.upstreams.length === 0 ? own.server : record.server,
      items: { tools: itemsOf('tools'), prompts: itemsOf('prompts'), resources: itemsOf('resources') },
      ...(record.skills && { skills: record.skills }),
      exposures: record.exposures,
    };
  }

  #refusal(difference: SurfaceDifference): string {
    const { record, renewal } = this.#options;
    const what = itemName(difference);
    if (!record) return `frozen: ${what} is not served, since it is not recorded. Record it with: ${renewal}`;
    const reason = difference.change === 'new' ? 'it is new since' : `${keysOf(difference)} changed since`;
    const refused =
      difference.kind === 'server'
        ? 'the texts of the server are the recorded ones'
        : `${what} is not served`;
    return `frozen: ${refused}: ${reason} it was recorded. Accept the change with: ${renewal}`;
  }
}

/** Skills of upstream servers that are as allowed, and the files of all others: changed, new or no longer listed. */
function keptSkills(
  { upstreamSkills = new Map() }: Servable,
  { skills: allowed = new Map() }: ModelSurface,
): { readonly kept: UpstreamSkills; readonly refusedFiles: ReadonlySet<unknown> } {
  const isKept = ([uri]: readonly [string, unknown]) =>
    isSameEntry(allowed.get(uri), upstreamSkills.get(uri));
  const refused = [...upstreamSkills, ...allowed].filter((entry) => !isKept(entry));
  const filesOf = ({ resources }: Readonly<Record<string, unknown>>) =>
    Array.isArray(resources) ? resources.map((file) => (isRecord(file) ? file.uri : undefined)) : [];
  return {
    kept: new Map([...upstreamSkills].filter(isKept)),
    refusedFiles: new Set(refused.flatMap(([uri, skill]) => [uri, ...filesOf(skill)])),
  };
}

/** Reason to refuse an upstream server; undefined if it gets only recorded values. */
function exposureRefusal({ name, exposure }: UpstreamSpec, { exposures }: ModelSurface): string | undefined {
  // The user has named the server and its variables.
  if (!exposure) return undefined;
  const { variables, host = null } = exposure;
  const recorded = (Object.hasOwn(exposures, name) ? exposures[name]! : []).filter(
    (one) => one.host === host,
  );
  if (recorded.length === 0) return host === null ? 'it is new' : `it is at ${host}, which was not recorded`;
  if (recorded.some((one) => variables.every((variable) => one.variables.includes(variable))))
    return undefined;
  const known = new Set(recorded.flatMap((one) => one.variables));
  const added = variables.filter((variable) => !known.has(variable));
  return `it would get ${(added.length > 0 ? added : variables).join(', ')}, which was not recorded`;
}

/** `tool "forecast" has another description` */
export function describeDifference(difference: SurfaceDifference): string {
  const what = itemName(difference);
  if (difference.change !== 'changed') return `${what} is ${difference.change}`;
  return `${what} has another ${keysOf(difference)}`;
}

/** The keys of the changed values. */
function keysOf({ values }: SurfaceDifference): string {
  return toOneLine([...new Set(values.map(({ path: [key] }) => String(key)))].join(', '));
}

function itemName({ kind, name }: SurfaceDifference): string {
  if (kind === 'server') return 'the server';
  return `${kind === 'upstream' ? 'upstream server' : kind === 'skill' ? kind : singular[kind]} ${JSON.stringify(name)}`;
}

/** A gate that lets everything pass and writes the surface to a file whenever clients get a list. */
export class RecordingGate implements SurfaceGate {
  readonly #file: string;
  readonly #key: string;

  constructor(file: string, key: string) {
    this.#file = file;
    this.#key = key;
  }

  admit(composed: Servable): Servable {
    return composed;
  }

  apply(server: Servable): Servable {
    return server;
  }

  listed(server: Servable): boolean {
    writeFileSync(this.#file, formatKeyed({ key: this.#key, surface: surfaceOf(server) }));
    return false;
  }
}
