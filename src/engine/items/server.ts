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
import { type Lazy, lazyFunction } from './lazy.js';
import { applyOverride, isOverride } from './override.js';
import { readPrompt } from './prompt.js';
import { locate, readCache, requireModules, requireUsable } from './read.js';
import { Registry, type ServedKind } from './registry.js';
import { readResource } from './resource.js';
import type { CacheHint, Initializer, PromptSpec, ResourceSpec, ToolSpec } from './specs.js';
import { readTool } from './tool.js';

/** An item that a server would have if it were in order. */
export interface LeftOut {
  readonly kind: ServedKind;
  /** As the server names it. */
  readonly item: string;
  readonly message: string;
  readonly code: string;
  /** The package whose file the location is in. */
  readonly extension: Extension;
  readonly location: Location;
  /** The package that would have to be here; absent if that is not what is wrong. */
  readonly missingPackage?: string;
}

/** What serving asks of a server. */
export interface Servable {
  readonly qualifiedName: string;
  /** Sent as serverInfo. */
  readonly info: Readonly<Record<string, unknown>> & { readonly name: string; readonly version: string };
  readonly instructions: string | undefined;
  readonly registry: Registry;
  readonly initialize: Lazy<Initializer> | undefined;
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
  const compose = <K extends ServedKind>(kind: K, read: Reader<K>) =>
    composeList({ kind, read, definition, workspace, leftOut });
  const tools = await compose('tools', readTool);
  const prompts = await compose('prompts', readPrompt);
  const resources = distinctUris(await compose('resources', readResource), leftOut);
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
    initialize:
      value.initialize === undefined
        ? undefined
        : kept(definition, 'initialize', () => lazyFunction<Initializer>(value.initialize, extension)),
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

/** `instructions` may be several texts; they are joined by a blank line. */
function joined(value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.filter((part) => typeof part === 'string').join('\n\n') : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

type SpecOf<K extends ServedKind> = { tools: ToolSpec; prompts: PromptSpec; resources: ResourceSpec }[K];
type Reader<K extends ServedKind> = (definition: Definition) => Promise<SpecOf<K>>;

interface ListJob<K extends ServedKind> {
  readonly kind: K;
  readonly read: Reader<K>;
  readonly definition: Definition;
  readonly workspace: Workspace;
  readonly leftOut: LeftOut[];
}

/** Entries of a server's list as they were written, `"*"` spelled out. */
export function listEntries({ value, extension }: Definition, kind: ServedKind | 'apps'): readonly unknown[] {
  const list = value[kind];
  if (list === '*') return extension.manifest.declarations[kind].map(({ name }) => name);
  return Array.isArray(list) ? list : [];
}

async function composeList<K extends ServedKind>(job: ListJob<K>): Promise<readonly SpecOf<K>[]> {
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

async function composeEntry<K extends ServedKind>(
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
  kind: ServedKind,
  entry: unknown,
  path: readonly (string | number)[],
): Definition {
  const location = locate(server, path);
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

/** Drops resources whose address another one of the server already has. */
function distinctUris(specs: readonly ResourceSpec[], leftOut: LeftOut[]): readonly ResourceSpec[] {
  const seen = new Set<string>();
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
