import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../base/value-checks.js';
import { type Definition, DefinitionError, type Extension } from '../extension/extension.js';
import type { Kind } from '../extension/item-kinds.js';
import type { Declaration, ToolkitDeclaration } from '../extension/manifest.js';
import { parseModuleReference } from '../extension/modules.js';
import { declaredEndpoints } from '../runtime/declared-endpoints.js';
import { readPrompt } from '../runtime/prompt.js';
import { moduleReferences, requireModules, requireUsable } from '../runtime/read-definition.js';
import { readResource } from '../runtime/resource.js';
import { readTool } from '../runtime/tool.js';

/** A declared item, read from the files of its package. */
export interface ItemState {
  readonly kind: Kind;
  readonly name: string;
  /** File that defines the item, relative to the package; undefined if missing. */
  readonly file?: string;
  /** True if the definition is code. */
  readonly isCode: boolean;
  /** Value of the definition; for code, only if code may run. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** Files that a data definition names: handlers, contents. */
  readonly uses: readonly string[];
  /** Data files that contain the definition. */
  readonly documents: readonly string[];
  /** Reason why the item would be skipped, if known. */
  readonly problem?: string;
}

export interface ItemReadOptions {
  /** True to load code definitions with the function that the extension was opened with. Default: false. */
  readonly load?: boolean;
}

/**
 * Reads all declared items of an extension. Runs no code unless `load` is set; without it, a code toolkit
 * without declared tools is one item.
 */
export async function readItems(
  extension: Extension,
  kinds: readonly Kind[],
  options: ItemReadOptions = {},
): Promise<readonly ItemState[]> {
  const declared = kinds.flatMap((kind) => extension.manifest.declarations[kind]);
  const items = await Promise.all(declared.map((one) => readItem(extension, one, options)));
  if (!kinds.includes('tools')) return items;
  const known = new Set(items.flatMap(({ kind, name }) => (kind === 'tools' ? name : [])));
  const others = extension.manifest.toolkits.map((one) => readToolkit(extension, one, options));
  return [...items, ...(await Promise.all(others)).flat().filter(({ name }) => !known.has(name))];
}

/** Reads the tools of a toolkit. */
async function readToolkit(
  extension: Extension,
  { name, tools: told }: ToolkitDeclaration,
  options: ItemReadOptions,
): Promise<readonly ItemState[]> {
  const source = await extension.toolkitFile(name);
  const isCode = source?.language === 'code';
  const base = {
    kind: 'tools',
    name,
    ...(source && { file: source.file }),
    isCode,
    uses: [],
    documents: [],
  } as const;
  if (isCode && !options.load) return told ? [] : [base];
  try {
    const { tools } = await extension.toolkit(name);
    const found = tools.map(({ item }) => ({ kind: 'tools' as const, name: item, toolkit: name }));
    return await Promise.all(found.map((one) => readItem(extension, one, options)));
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return told ? [] : [{ ...base, problem: error.message }];
  }
}

async function readItem(
  extension: Extension,
  { kind, name, toolkit }: Pick<Declaration, 'kind' | 'name' | 'toolkit'>,
  { load = false }: ItemReadOptions,
): Promise<ItemState> {
  const source =
    toolkit === undefined
      ? (await extension.files()).find(kind, name)[0]
      : await extension.toolkitFile(toolkit);
  const isCode = source?.language === 'code';
  const base = { kind, name, ...(source && { file: source.file }), isCode, uses: [], documents: [] };
  if (isCode && !load) return base;
  try {
    const definition = await extension.definition(kind, name);
    if (kind === 'apps') return { ...base, ...(await pageFacts(extension, source!.file)) };
    const own = source?.file ?? definition.file.file;
    const documents = isCode ? [] : [...new Set([own, definition.derived?.file ?? own])];
    const uses = isCode ? [] : filesNamedBy(definition);
    const problem = isCode ? undefined : await findItemProblem(definition);
    return {
      ...base,
      file: own,
      value: definition.value,
      documents,
      uses,
      ...(problem !== undefined && { problem }),
    };
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return { ...base, problem: error.message };
  }
}

/** Data and files of an app page. */
async function pageFacts(
  extension: Extension,
  page: string,
): Promise<Pick<ItemState, 'value' | 'documents' | 'uses'>> {
  const file = page.replace(/\.html$/, '.json');
  const info = await stat(path.join(extension.manifest.directory, file)).catch(() => undefined);
  if (!info) return { value: {}, documents: [], uses: [page] };
  const { value } = await extension.document(file);
  return { value: isRecord(value) ? value : {}, documents: [file], uses: [page, file] };
}

function filesNamedBy(definition: Definition): readonly string[] {
  const modules = moduleReferences(definition).flatMap(({ reference }) => moduleIn(reference) ?? []);
  const { file } = definition.value;
  const contents = definition.kind === 'resources' && typeof file === 'string' ? [file] : [];
  const programs = [...declaredEndpoints(definition)].flatMap(({ place }) => filesOfPlace(place));
  return [...new Set([...modules, ...contents, ...programs].map((one) => path.posix.normalize(one)))];
}

/**
 * Files of an upstream declaration: the module that resolves it, or the file of the package that is the
 * server.
 */
function filesOfPlace(place: unknown): readonly string[] {
  if (typeof place === 'string') return [moduleIn(place)].filter((one) => one !== undefined);
  const { command, args, place: reference } = isRecord(place) ? place : {};
  if (typeof reference === 'string') return filesOfPlace(reference);
  const [first] = command === 'node' && Array.isArray(args) ? args : [command];
  return typeof first === 'string' && /^\.[\\/]/.test(first) ? [first] : [];
}

function moduleIn(reference: string): string | undefined {
  try {
    return parseModuleReference(reference).file;
  } catch {
    return undefined;
  }
}

/** Reason why a data definition is invalid; undefined if it is valid. */
async function findItemProblem(definition: Definition): Promise<string | undefined> {
  try {
    await definitionReaders[definition.kind](definition);
    return undefined;
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error;
    return error.message;
  }
}

const definitionReaders = {
  tools: readTool,
  prompts: readPrompt,
  resources: readResource,
  servers: async (definition) => {
    requireUsable(definition, ({ path: at }) => at.length > 1);
    await requireModules(definition);
  },
  apps: async () => {},
} as const satisfies Record<Kind, (definition: Definition) => Promise<unknown>>;
