import { serverLists } from '../extension/check.js';
import type { Location } from '../extension/diagnostics.js';
import { type Definition, DefinitionError, type Extension } from '../extension/extension.js';
import { isRecord } from '../extension/shapes.js';
import { type Translation, translate } from '../extension/spellings.js';
import {
  type FoundServer,
  implicitServerName,
  UnknownItemError,
  type Workspace,
} from '../extension/workspace.js';
import { readApp } from './app.js';
import { type Lazy, lazyFunction } from './lazy.js';
import { applyOverride, isOverride } from './override.js';
import { readPrompt } from './prompt.js';
import { locate, readCache, requireModules, requireUsable } from './read.js';
import { listedKinds, Registry, type ServedKind } from './registry.js';
import { readResource } from './resource.js';
import type {
  AppSpec,
  CacheHint,
  Initializer,
  ListHook,
  ListHooks,
  NamedApp,
  PromptSpec,
  ResourceSpec,
  ToolSpec,
} from './specs.js';
import { readTool } from './tool.js';
import { hasUi, isUiResource, withUiApart } from './ui.js';

/** An item that a server would have if it were in order. */
export interface LeftOut {
  readonly kind: ComposedKind;
  /** As the server names it. */
  readonly item: string;
  /** The tool that goes without this app, and works all the same. */
  readonly tool?: string;
  readonly message: string;
  readonly code: string;
  /** The package whose file the location is in. */
  readonly extension: Extension;
  readonly location: Location;
  /** The package that would have to be here; absent if that is not what is wrong. */
  readonly missingPackage?: string;
}

/** The kinds a server is composed of. */
type ComposedKind = ServedKind | 'apps';

/** What serving asks of a server. */
export interface Servable {
  readonly qualifiedName: string;
  /** Sent as serverInfo. */
  readonly info: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string };
  readonly instructions: string | undefined;
  readonly registry: Registry;
  /** The apps it serves, by their addresses. */
  readonly apps: ReadonlyMap<string, AppSpec>;
  /** Whether there is anything that is only for clients that show UI. */
  readonly hasUi: boolean;
  readonly initialize: Lazy<Initializer> | undefined;
  /** What decides on lists instead of what is hidden. */
  readonly listHooks: ListHooks;
  readonly exposeErrors: boolean;
  readonly cache: CacheHint | undefined;
}

/** A server, composed and ready to be served. */
export interface ServerSpec extends Servable {
  readonly extension: Extension;
  readonly description: string | undefined;
  readonly configKey: string;
  /** Items that could not be had; the server goes without them. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Composes a server of its definition, or of everything a package without servers declares. Bad items are left out.
 * A server that is composed again from the same workspace keeps its items: what they initialized stays so.
 * @throws DefinitionError if the server's own definition cannot be used.
 */
export async function composeServer(
  { extension, server }: FoundServer,
  workspace: Workspace,
): Promise<ServerSpec> {
  const definition =
    server === undefined ? implicitServer(extension) : await extension.definition('servers', server);
  return await composeDefinition(definition, workspace);
}

/**
 * Composes a server of a definition, wherever that comes from.
 * @throws DefinitionError if the definition cannot be used.
 */
export async function composeDefinition(definition: Definition, workspace: Workspace): Promise<ServerSpec> {
  const { extension } = definition;
  // One bad entry of a list does not stop a server: it is left out where the list is composed.
  requireUsable(definition, ({ path }) => path.length > 1 && serverLists.some((list) => list === path[0]));
  await requireModules(definition);
  const { value } = definition;
  const leftOut: LeftOut[] = [];
  const compose = <K extends ComposedKind>(kind: K, read: Reader<K>) =>
    composeList({ kind, read, definition, workspace, leftOut });
  const listedTools = await compose('tools', readTool);
  const prompts = await compose('prompts', readPrompt);
  const listedResources = await compose('resources', readResource);
  const listedApps = await compose('apps', readApp);
  const apps = new Map<string, AppSpec>();
  const bound = await bindApps(listedTools, { workspace, leftOut });
  const tools = bound.map((tool) => claimAddress(tool, apps, leftOut));
  const resources = distinctUris(listedResources, apps, leftOut);
  addUnbound(listedApps, { apps, resources, leftOut });
  const qualifiedName = extension.qualify(definition.item);
  const { title, description, icons, websiteUrl, version, instructions } = value;
  return {
    qualifiedName,
    extension,
    info: {
      name: typeof value.name === 'string' ? value.name : qualifiedName,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      version: typeof version === 'string' ? version : extension.manifest.packageVersion,
      ...(Array.isArray(icons) && { icons }),
      ...(typeof websiteUrl === 'string' && { websiteUrl }),
    },
    description: typeof description === 'string' ? description : undefined,
    instructions: joined(instructions),
    configKey: typeof value.configKey === 'string' ? value.configKey : definition.item,
    registry: new Registry(
      { tools, prompts, resources },
      typeof value.pageSize === 'number' ? { pageSize: Math.ceil(value.pageSize) } : {},
    ),
    apps,
    hasUi: apps.size > 0 || tools.some(hasUi) || resources.some(isUiResource),
    initialize:
      value.initialize === undefined
        ? undefined
        : kept(definition, 'initialize', () => lazyFunction<Initializer>(value.initialize, extension)),
    listHooks: readListHooks(value.list, extension),
    exposeErrors: value.exposeErrors === true,
    cache: readCache(value.cache),
    leftOut,
  };
}

function implicitServer(extension: Extension): Definition {
  const translation: Translation = translate(
    { tools: '*', prompts: '*', resources: '*', apps: '*' },
    'servers',
  );
  return {
    kind: 'servers',
    item: implicitServerName(extension),
    extension,
    file: { file: extension.manifest.document.file, language: 'data', combined: false },
    at: extension.manifest.base,
    value: translation.value,
    translation,
  };
}

function readListHooks(list: unknown, extension: Extension): ListHooks {
  if (!isRecord(list)) return {};
  const given = listedKinds.filter((kind) => list[kind] !== undefined);
  return Object.fromEntries(given.map((kind) => [kind, lazyFunction<ListHook>(list[kind], extension)]));
}

/** `instructions` may be several texts; they are joined by a blank line. */
function joined(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.filter((part) => typeof part === 'string').join('\n\n') : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

interface Specs {
  tools: ToolSpec;
  prompts: PromptSpec;
  resources: ResourceSpec;
  apps: AppSpec;
}

type SpecOf<K extends ComposedKind> = Specs[K];
type Reader<K extends ComposedKind> = (definition: Definition) => Promise<SpecOf<K>>;

interface ListJob<K extends ComposedKind> {
  readonly kind: K;
  readonly read: Reader<K>;
  readonly definition: Definition;
  readonly workspace: Workspace;
  readonly leftOut: LeftOut[];
}

/** Entries of a server's list as they were written, `"*"` spelled out. */
export function listEntries({ value, extension }: Definition, kind: ComposedKind): readonly unknown[] {
  const list = value[kind];
  if (list === '*') return extension.manifest.declarations[kind].map(({ name }) => name);
  return Array.isArray(list) ? list : [];
}

async function composeList<K extends ComposedKind>(job: ListJob<K>): Promise<readonly SpecOf<K>[]> {
  const entries = listEntries(job.definition, job.kind);
  const composed = await Promise.all(
    entries.map((entry, index) => composeEntry(job, entry, [job.kind, index])),
  );
  job.leftOut.push(...composed.flatMap(({ leftOut }) => leftOut ?? []));
  return composed.flatMap(({ spec }) => spec ?? []);
}

/** What was made of definitions: an item that is listed twice, or composed again, is one item, whose hooks run once. */
const makings = new WeakMap<Definition, Map<string, unknown>>();

function kept<T>(definition: Definition, part: string, make: () => T): T {
  const parts = makings.get(definition) ?? new Map<string, unknown>();
  makings.set(definition, parts);
  if (parts.has(part)) return parts.get(part) as T;
  const made = make();
  parts.set(part, made);
  // What failed may have been mended by the next time.
  if (made instanceof Promise) made.catch(() => parts.delete(part));
  return made;
}

async function composeEntry<K extends ComposedKind>(
  { kind, read, definition, workspace }: ListJob<K>,
  entry: unknown,
  path: readonly (string | number)[],
): Promise<{ spec?: SpecOf<K>; leftOut?: LeftOut }> {
  const reference = isOverride(entry) ? entry.use : entry;
  let owner = definition.extension;
  try {
    const readOnce = (one: Definition) => kept(one, 'item', () => read(one));
    if (typeof reference !== 'string') {
      return {
        spec: await readOnce(kept(definition, path.join('/'), () => inline(definition, kind, entry, path))),
      };
    }
    const found = await workspace.locateItem(kind, reference, owner, locate(definition, path));
    owner = found.extension;
    const spec = await readOnce(await owner.definition(kind, found.item));
    owner = definition.extension;
    return {
      spec: isOverride(entry) ? await applyOverride(spec, entry, { server: definition, path }) : spec,
    };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const { item: server, extension } = definition;
    const item = typeof reference === 'string' ? reference : `${extension.qualify(server)}#${path.join('/')}`;
    const { message, code, location } = error;
    const missingPackage = error instanceof UnknownItemError ? error.missingPackage : undefined;
    const missing = missingPackage !== undefined && { missingPackage };
    return { leftOut: { kind, item, message, code, location, extension: owner, ...missing } };
  }
}

/** A definition written right into a server's list. */
export function inline(
  server: Definition,
  kind: ComposedKind,
  entry: unknown,
  path: readonly (string | number)[],
): Definition {
  const location = locate(server, path);
  if (kind === 'apps') {
    const message = 'An app is named, it cannot be defined in a server.';
    throw new DefinitionError('invalid-server', message, location);
  }
  if (!isRecord(entry)) {
    throw new DefinitionError(
      'invalid-server',
      `An entry of "${kind}" is neither a name nor a definition.`,
      location,
    );
  }
  const translation = translate(entry, kind);
  const { name, uri } = translation.value;
  const item = typeof name === 'string' ? name : typeof uri === 'string' ? uri : `${kind}-${path[1]}`;
  return { ...server, kind, item, at: location.path ?? [], value: translation.value, translation };
}

interface Binding {
  readonly workspace: Workspace;
  readonly leftOut: LeftOut[];
}

/** The tools with the apps they name. One whose app cannot be had goes without, which `leftOut` then tells. */
export async function bindApps(
  tools: readonly ToolSpec[],
  { workspace, leftOut }: Binding,
): Promise<readonly ToolSpec[]> {
  const bound = await Promise.all(
    tools.map(withUiApart).map(async (tool): Promise<{ tool: ToolSpec; lost?: LeftOut }> => {
      if (!tool.ui?.named) return { tool };
      const found = await appOf(tool, tool.ui.named, workspace);
      return 'app' in found ? { tool: { ...tool, ui: { ...tool.ui, app: found.app } } } : { tool, ...found };
    }),
  );
  // Of several tools that go without the same app the first is named, however long each was looked for.
  for (const { lost } of bound) {
    const isTold = leftOut.some(({ kind, message }) => kind === 'apps' && message === lost?.message);
    if (lost && !isTold) leftOut.push(lost);
  }
  return bound.map(({ tool }) => tool);
}

async function appOf(
  { name: tool }: ToolSpec,
  { reference, from, path }: NamedApp,
  workspace: Workspace,
): Promise<{ readonly app: AppSpec } | { readonly lost: LeftOut }> {
  let owner = from.extension;
  try {
    const found = await workspace.locateItem('apps', reference, owner, locate(from, path));
    owner = found.extension;
    const definition = await owner.definition('apps', found.item);
    return { app: await kept(definition, 'item', () => readApp(definition)) };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    const { message, code, location } = error;
    const missingPackage = error instanceof UnknownItemError ? error.missingPackage : undefined;
    const missing = missingPackage !== undefined && { missingPackage };
    const about = { tool, message, code, location, extension: owner };
    return { lost: { kind: 'apps', item: reference, ...about, ...missing } };
  }
}

/** Serves a tool's app, unless its address is that of another package's copy of it. */
function claimAddress(tool: ToolSpec, apps: Map<string, AppSpec>, leftOut: LeftOut[]): ToolSpec {
  const app = tool.ui?.app;
  if (!app) return tool;
  const first = apps.get(app.uri) ?? app;
  apps.set(app.uri, first);
  if (first.definition === app.definition) return tool;
  leftOut.push(addressTaken(app, tool.name));
  return { ...tool, ui: { ...tool.ui!, app: undefined } };
}

function addressTaken({ uri, item, definition }: AppSpec, tool?: string): LeftOut {
  const { extension, file } = definition;
  const message = `App "${uri}" is already served by another item of this server.`;
  const location = { file: file.file };
  return { kind: 'apps', item, message, code: 'invalid-app', location, extension, ...(tool && { tool }) };
}

/** Serves the apps that the server lists itself; of one that a tool has, what the server says of it counts. */
function addUnbound(
  listed: readonly AppSpec[],
  {
    apps,
    resources,
    leftOut,
  }: { apps: Map<string, AppSpec>; resources: readonly ResourceSpec[]; leftOut: LeftOut[] },
): void {
  for (const app of listed) {
    const isTaken = resources.some(({ uri }) => uri === app.uri);
    const first = apps.get(app.uri);
    if (isTaken || (first && first.definition !== app.definition)) leftOut.push(addressTaken(app));
    else apps.set(app.uri, app);
  }
}

/** Drops resources whose address an app of a tool, or another resource of the server, already has. */
function distinctUris(
  specs: readonly ResourceSpec[],
  apps: ReadonlyMap<string, AppSpec>,
  leftOut: LeftOut[],
): readonly ResourceSpec[] {
  const seen = new Set<string>(apps.keys());
  return specs.filter(({ uri, uriTemplate, definition, item }) => {
    const address = (uri ?? uriTemplate)!;
    if (!seen.has(address)) return seen.add(address);
    const message = `Resource "${address}" is already served by another item of this server.`;
    const location = locate(definition, [uri === undefined ? 'uriTemplate' : 'uri']);
    const { extension } = definition;
    leftOut.push({ kind: 'resources', item, message, code: 'invalid-resource', location, extension });
    return false;
  });
}
