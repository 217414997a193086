import { isRecord } from '../base/value-checks.js';
import { serverLists } from '../extension/check-definition.js';
import { type Definition, DefinitionError, type Extension } from '../extension/extension.js';
import { describeDeprecated, type Translation, translate } from '../extension/key-spellings.js';
import type { SkillFolder } from '../extension/skill-folders.js';
import { type FoundServer, implicitServerName, type Workspace } from '../extension/workspace.js';
import { type Adapt, isAdapt } from './adapt.js';
import { readAppDefinition } from './app.js';
import { withoutRepeats } from './distinct-names.js';
import { joinInstructions } from './instructions.js';
import { type Lazy, lazyFunction } from './lazy-function.js';
import {
  type ComposedKind,
  isToolkitEntry,
  listEntries,
  type ResolvedItem,
  resolveEntry,
} from './list-entries.js';
import { applyOverride, isOverride } from './override.js';
import { readPrompt } from './prompt.js';
import { locate, oncePerDefinition, readCache, requireModules, requireUsable } from './read-definition.js';
import { Registry } from './registry.js';
import { readResource } from './resource.js';
import { addUnbound, bindApps, claimAddress } from './served-apps.js';
import { listedKinds } from './served-kind.js';
import { listedSkills } from './skills.js';
import { listSkipped, type SkippedItem } from './skipped-items.js';
import type {
  AppSpec,
  CacheHint,
  Initializer,
  ListHook,
  ListHooks,
  PromptSpec,
  ResourceSpec,
  ToolSpec,
} from './specs.js';
import { readTool } from './tool.js';
import type { MakeCatalog } from './tool-list.js';
import { hasUi, isUiResource } from './ui.js';
import type { UpstreamEntry, UpstreamSkills } from './upstream.js';

/** The parts of a server that serving needs. */
export interface Servable {
  readonly qualifiedName: string;
  /** Sent as serverInfo. */
  readonly info: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string };
  readonly instructions: string | undefined;
  readonly registry: Registry;
  /** The apps of the server by URI. */
  readonly apps: ReadonlyMap<string, AppSpec>;
  /**
   * Entries for tools of upstream servers. {@link withUpstreamTools} adds the tools once the upstream servers have
   * listed them.
   */
  readonly upstreams: readonly UpstreamEntry[];
  /** Sources of the tools and instructions; undefined if the server has only the tools of its registry. */
  readonly baseItems?: BaseItems;
  /** Skill folders, served unchanged. */
  readonly skills: readonly SkillFolder[];
  /** Skills of upstream servers; absent without any. */
  readonly upstreamSkills?: UpstreamSkills;
  /** True for a URI that is refused even if an upstream server can read it. Absent: none is. */
  readonly refuses?: (uri: string) => boolean;
  /** True if any item is only for clients that show UI. */
  readonly hasUi: boolean;
  readonly initialize: Lazy<Initializer> | undefined;
  /** Hooks that choose the items of a list, in place of `hidden`. */
  readonly listHooks: ListHooks;
  readonly exposeErrors: boolean;
  /** Adaptation of tools to clients. */
  readonly adapt: Adapt;
  /** Key in the config of client apps. Default: the item name. */
  readonly configKey: string;
  readonly cache: CacheHint | undefined;
}

/** Sources of a server's tools and instructions, to build them again with more tools. */
interface BaseItems {
  /** In list order, without catalog tools, under their original names. */
  readonly tools: readonly ToolSpec[];
  /** As written in the definition. */
  readonly instructions: unknown;
  /** Undefined: `tools/list` shows all tools. */
  readonly catalog: MakeCatalog | undefined;
}

/** A composed server, ready to be served. */
export interface ServerSpec extends Servable {
  readonly extension: Extension;
  readonly description: string | undefined;
  /** True if the definition sets `configKey`. */
  readonly hasOwnKey: boolean;
  /** Unavailable items, which the server skips. */
  readonly leftOut: readonly SkippedItem[];
}

/** Content of `tools/list`: all tools, or three tools that find, inspect and call the others. */
export type ToolList = 'all' | 'catalog';

/** Choices of the user. They win over the server definition. */
export interface ComposeOptions {
  readonly toolList?: ToolList | undefined;
  readonly adapt?: Adapt | undefined;
}

/**
 * Composes a server from its definition, or from all items of a package without servers. Skips invalid items. A server
 * that is composed again from the same workspace keeps its items and their initialized state.
 * @throws DefinitionError if the server's own definition is unusable.
 */
export async function composeServer(
  { extension, server }: FoundServer,
  workspace: Workspace,
  options: ComposeOptions = {},
): Promise<ServerSpec> {
  const definition =
    server === undefined ? defineImplicitServer(extension) : await extension.definition('servers', server);
  return await composeDefinition(definition, workspace, options);
}

/** Code would run before its own sandbox is known. */
function sandboxInCode(definition: Definition): DefinitionError {
  const message = `Server "${definition.item}" declares its "sandbox" in code. Declare it in package.json, beside the name of the server, or define the server in a data file.`;
  return new DefinitionError('invalid-server', message, locate(definition, ['sandbox']));
}

/** Composes a server from a definition of any origin. @throws DefinitionError if the definition is unusable. */
export async function composeDefinition(
  definition: Definition,
  workspace: Workspace,
  { toolList, adapt }: ComposeOptions = {},
): Promise<ServerSpec> {
  const { extension } = definition;
  // A bad entry of a list does not stop a server. Composing the list skips the entry.
  requireUsable(definition, ({ path }) => path.length > 1 && serverLists.some((list) => list === path[0]));
  await requireModules(definition);
  const { value } = definition;
  if (value.sandbox !== undefined && definition.file.language !== 'data') throw sandboxInCode(definition);
  const leftOut: SkippedItem[] = [...skippedPrompts(definition)];
  const compose = <K extends ComposedKind>(kind: K, read: SpecReader<K>) =>
    composeList({ kind, read, definition, workspace, leftOut });
  const { specs: namedTools, upstreams } = await compose('tools', readTool);
  const { specs: prompts } = await compose('prompts', readPrompt);
  const { specs: listedResources } = await compose('resources', readResource);
  const callers = [...namedTools, ...prompts, ...listedResources];
  const listedTools = [...namedTools, ...(await calledTools(callers, namedTools, leftOut))];
  const { specs: listedApps } = await compose('apps', readAppDefinition);
  const apps = new Map<string, AppSpec>();
  const bound = await bindApps(listedTools, { workspace, leftOut });
  const tools = bound.map((tool) => claimAddress(tool, apps, leftOut));
  const resources = distinctUris(listedResources, apps, leftOut);
  addUnbound(listedApps, { apps, resources, leftOut });
  const qualifiedName = extension.qualify(definition.item);
  const { title, description, icons, websiteUrl, version, instructions } = value;
  const isCatalog = (toolList ?? value.toolList) === 'catalog' && tools.length + upstreams.length > 0;
  // Loaded on demand: few servers have so many tools.
  const makeCatalog = isCatalog ? await (await import('./tool-list.js')).openCatalog(workspace) : undefined;
  const catalog = makeCatalog?.(tools);
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
    instructions: joinInstructions([instructions, catalog?.instructions].flat()),
    configKey: typeof value.configKey === 'string' ? value.configKey : definition.item,
    hasOwnKey: typeof value.configKey === 'string',
    registry: new Registry(
      { tools: catalog?.tools ?? tools, prompts, resources },
      {
        pageSize: typeof value.pageSize === 'number' ? Math.ceil(value.pageSize) : undefined,
        fronts: catalog?.catalogTools,
      },
    ),
    apps,
    upstreams,
    baseItems: { tools, instructions, catalog: makeCatalog },
    skills: value.skills === undefined ? [] : await listedSkills(definition, { workspace, leftOut }),
    hasUi: apps.size > 0 || tools.some(hasUi) || resources.some(isUiResource),
    initialize:
      value.initialize === undefined
        ? undefined
        : oncePerDefinition(definition, 'initialize', () =>
            lazyFunction<Initializer>(value.initialize, extension),
          ),
    listHooks: readListHooks(value.list, extension),
    exposeErrors: value.exposeErrors === true,
    adapt: adapt ?? (isAdapt(value.adapt) ? value.adapt : 'auto'),
    cache: readCache(value.cache),
    leftOut,
  };
}

/** Hidden tools that items call and the server lacks. Reports tools that do not exist. */
async function calledTools(
  callers: readonly Pick<ToolSpec, 'item' | 'definition' | 'requires'>[],
  listed: readonly ToolSpec[],
  leftOut: SkippedItem[],
): Promise<readonly ToolSpec[]> {
  const found = new Map<string, ToolSpec>();
  for (const { item, definition, requires } of callers) {
    for (const name of requires.tools ?? []) {
      if (found.has(name) || listed.some((tool) => tool.name === name)) continue;
      const { extension } = definition;
      try {
        const called = await extension.definition('tools', name);
        const spec = await oncePerDefinition(called, 'item', () => readTool(called));
        found.set(name, { ...spec, hidden: true });
      } catch (error) {
        if (!(error instanceof DefinitionError)) throw error;
        const message = `It is called by ${item}, which lacks it in this server. ${error.message}`;
        const { code, location } = error;
        leftOut.push({ kind: 'tools', item: extension.qualify(name), message, code, location, extension });
      }
    }
  }
  return [...found.values()];
}

/** Prompts under an outdated key of the server or the manifest. Nothing reads them. */
function* skippedPrompts(definition: Definition): Iterable<SkippedItem> {
  const { item, extension, translation } = definition;
  const { document, base, translation: manifest } = extension.manifest;
  const said = [
    ...manifest.deprecated.map(
      (path) => ['The manifest', path, { file: document.file, path: [...base, ...path] }] as const,
    ),
    ...translation.deprecated.map(
      (path) => [`The server "${item}"`, path, locate(definition, path)] as const,
    ),
  ];
  for (const [what, path, location] of said) {
    const message = describeDeprecated(what, path);
    const code = 'deprecated-prompt-data';
    yield {
      kind: 'prompts',
      item: String(path.at(-1)),
      message,
      code,
      location: { ...location, key: true },
      extension,
    };
  }
}

function defineImplicitServer(extension: Extension): Definition {
  const translation: Translation = translate(
    { tools: '*', prompts: '*', resources: '*', apps: '*', skills: '*' },
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

interface ComposedSpecs {
  tools: ToolSpec;
  prompts: PromptSpec;
  resources: ResourceSpec;
  apps: AppSpec;
}

type ComposedSpecOf<K extends ComposedKind> = ComposedSpecs[K];
type SpecReader<K extends ComposedKind> = (definition: Definition) => Promise<ComposedSpecOf<K>>;

interface ListJob<K extends ComposedKind> {
  readonly kind: K;
  readonly read: SpecReader<K>;
  readonly definition: Definition;
  readonly workspace: Workspace;
  readonly leftOut: SkippedItem[];
}

/** The items of a list, and its entries for tools of upstream servers. */
interface ComposedList<K extends ComposedKind> {
  readonly specs: readonly ComposedSpecOf<K>[];
  readonly upstreams: readonly UpstreamEntry[];
}

async function composeList<K extends ComposedKind>(job: ListJob<K>): Promise<ComposedList<K>> {
  const entries = listEntries(job.definition, job.kind);
  const looked = await Promise.all(
    entries.map((entry, index) => resolveListEntry(job, entry, [job.kind, index])),
  );
  const found = withoutRepeats(looked.flatMap((one, entry) => one.found.map((item) => ({ ...item, entry }))));
  const specs = await Promise.all(found.map((one) => compose(job, one)));
  job.leftOut.push(...looked.flatMap(({ leftOut }) => leftOut));
  const upstreams = looked.flatMap(({ upstream }, entry) => {
    const before = specs.filter((_, index) => found[index]!.entry < entry);
    return upstream ? [{ ...upstream, position: before.flat().length }] : [];
  });
  return { specs: specs.flat(), upstreams };
}

/** The items of one list entry, and the items that the server skips. */
interface ListEntryResult {
  readonly found: readonly FoundItem[];
  readonly leftOut: SkippedItem[];
  readonly upstream?: Omit<UpstreamEntry, 'position'>;
}

/** An item of a list. Reading it may still fail. */
interface FoundItem extends ResolvedItem {
  /** Called if the item is unavailable; `owner` has the faulty file. */
  readonly lose: (error: unknown, owner: Extension) => void;
}

async function resolveListEntry<K extends ComposedKind>(
  { kind, definition: server, workspace }: ListJob<K>,
  entry: unknown,
  path: readonly (string | number)[],
): Promise<ListEntryResult> {
  const { extension } = server;
  const leftOut: SkippedItem[] = [];
  const losing = (item: string) => (error: unknown, owner: Extension) => {
    leftOut.push(listSkipped(error, { kind, item, extension: owner }));
  };
  const here = `${extension.qualify(server.item)}#${path.join('/')}`;
  const written = referenceIn(entry, kind) ?? here;
  let owner = extension;
  const onOwner = (found: Extension) => {
    owner = found;
  };
  try {
    const place = { kind, server, workspace, path, onOwner };
    const { listings, faults, toolkit, upstream } = await resolveEntry(entry, place);
    for (const fault of faults) losing(written)(fault, toolkit?.extension ?? extension);
    const found = listings.map((listing): FoundItem => {
      const { definition, reference, inToolkit } = listing;
      const item = inToolkit ? definition.extension.qualify(definition.item) : (reference ?? here);
      return { ...listing, lose: losing(item) };
    });
    return { found, leftOut, ...(upstream && { upstream }) };
  } catch (error) {
    losing(written)(error, owner);
    return { found: [], leftOut };
  }
}

async function compose<K extends ComposedKind>(
  { read, definition: server }: ListJob<K>,
  { definition, changes, lose }: FoundItem,
): Promise<readonly ComposedSpecOf<K>[]> {
  let owner = definition.extension;
  try {
    let spec = await oncePerDefinition(definition, 'item', () => read(definition));
    owner = server.extension;
    for (const { override, path } of changes) spec = await applyOverride(spec, override, { server, path });
    return [spec];
  } catch (error) {
    lose(error, owner);
    return [];
  }
}

/** The name that an entry refers to; undefined for other entries. */
function referenceIn(entry: unknown, kind: ComposedKind): string | undefined {
  if (typeof entry === 'string') return entry;
  if (isOverride(entry)) return entry.use;
  return isToolkitEntry(entry, kind) ? entry.toolkit : undefined;
}

/** Drops resources with a URI that an app of a tool, or another resource of the server, already has. */
function distinctUris(
  specs: readonly ResourceSpec[],
  apps: ReadonlyMap<string, AppSpec>,
  leftOut: SkippedItem[],
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
