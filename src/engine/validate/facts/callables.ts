import path from 'node:path';
import type { DocumentPath } from '../../base/files/document-path.js';
import { errorMessage } from '../../base/thrown-value.js';
import { isRecord, type UnknownRecord } from '../../base/value-checks.js';
import { isFunctionLike } from '../../extension/check-shape.js';
import type { Location } from '../../extension/diagnostics.js';
import type { Definition } from '../../extension/extension.js';
import type { Kind } from '../../extension/item-kinds.js';
import { locateModule, ModuleReferenceError, parseModuleReference } from '../../extension/modules.js';
import { declaredEndpoints } from '../../runtime/declared-endpoints.js';
import { locate } from '../../runtime/read-definition.js';
import { InspectionError } from '../inspector.js';
import { isModuleFile, type ModuleReader, NotLoadedError, typescript } from './modules.js';

/** A key of a definition that holds a function or names one. */
export interface CallableSnapshot {
  /** Name in messages: `handler`, `complete.place`. */
  readonly label: string;
  readonly location: Location;
  /** True if the key holds the endpoint of an upstream server. */
  readonly isPlace?: boolean;
  /** The referenced module, relative to the package folder, if it exists. */
  readonly file?: string;
  readonly isTypeScript?: boolean;
  /** The context members in the function's source, of those that rules check. */
  readonly contextMembers?: readonly string[];
  readonly fault?: CallableFault;
}

interface CallableFault {
  /**
   * `missing`: there is no such function; `outside`: the module is outside the package; `failed`: the module
   * does not load.
   */
  readonly kind: 'missing' | 'outside' | 'failed';
  readonly reason: string;
}

/** Looks up every function that a definition has or names. */
export async function gatherCallables(
  definition: Definition,
  modules: ModuleReader,
): Promise<CallableSnapshot[]> {
  const found = [...callableKeysByKind[definition.kind](definition.value), ...callablePositions(definition)];
  return await Promise.all(found.map(async (key) => await callableFacts(key, definition, modules)));
}

interface CallableKey {
  readonly path: DocumentPath;
  readonly value: unknown;
  /** True if the shape check already reports wrong types. */
  readonly hasShape: boolean;
  readonly isPlace?: boolean;
}

/** The keys that hold functions or references to them, by kind. */
const callableKeysByKind = {
  *tools({ handler, initialize, ui }: UnknownRecord) {
    yield { path: ['handler'], value: handler, hasShape: true };
    yield { path: ['initialize'], value: initialize, hasShape: true };
    if (isRecord(ui)) yield { path: ['ui', 'when'], value: ui.when, hasShape: false };
  },
  *prompts({ type, content, arguments: declared }: UnknownRecord) {
    if (type === 'function' || isFunctionLike(content))
      yield { path: ['content'], value: content, hasShape: true };
    for (const [index, argument] of (Array.isArray(declared) ? declared : []).entries()) {
      if (!isRecord(argument) || Array.isArray(argument.complete)) continue;
      yield { path: ['arguments', index, 'complete'], value: argument.complete, hasShape: true };
    }
  },
  *resources({ read, list, complete }: UnknownRecord) {
    yield { path: ['read'], value: read, hasShape: true };
    yield { path: ['list'], value: list, hasShape: true };
    yield* findCallableMembers('complete', complete);
  },
  *servers({ initialize, list }: UnknownRecord) {
    yield { path: ['initialize'], value: initialize, hasShape: true };
    if (!isRecord(list) || isFunctionLike(list)) return;
    for (const kind of ['tools', 'prompts', 'resources']) {
      yield { path: ['list', kind], value: list[kind], hasShape: true };
    }
  },
  *apps() {},
} as const satisfies Record<Kind, (value: UnknownRecord) => Iterable<CallableKey>>;

function* callablePositions(definition: Definition): Iterable<CallableKey> {
  for (const { path: at, place } of declaredEndpoints(definition)) {
    yield { path: at, value: place, hasShape: true, isPlace: true };
    if (!isRecord(place) || isFunctionLike(place)) continue;
    yield { path: [...at, 'place'], value: place.place, hasShape: true, isPlace: true };
  }
}

function* findCallableMembers(key: string, value: unknown): Iterable<CallableKey> {
  if (!isRecord(value) || isFunctionLike(value)) return;
  for (const [name, held] of Object.entries(value)) {
    // A list of suggestions may replace the function.
    if (Array.isArray(held)) continue;
    yield { path: [key, name], value: held, hasShape: false };
  }
}

async function callableFacts(
  { path: at, value, hasShape, isPlace }: CallableKey,
  definition: Definition,
  modules: ModuleReader,
): Promise<CallableSnapshot> {
  const facts = { label: at.join('.'), location: locate(definition, at), ...(isPlace && { isPlace }) };
  if (value === undefined) return facts;
  if (typeof value === 'string')
    return { ...facts, ...(await snapshotReference(value, definition, modules)) };
  const isLive = isFunctionLike(value) && definition.file.language !== 'data';
  if (isLive) return { ...facts, ...membersNamedBy(value) };
  if (hasShape && !isFunctionLike(value)) return facts;
  return {
    ...facts,
    fault: {
      kind: 'missing',
      reason: 'is neither a function nor a module reference such as "./dist/file.js#name"',
    },
  };
}

/** The context members that the loading process found in the function's source. */
function membersNamedBy(value: unknown): Pick<CallableSnapshot, 'contextMembers'> {
  const { contextMembers } = value as { readonly contextMembers?: readonly string[] };
  return contextMembers ? { contextMembers } : {};
}

type LoadedSnapshot = Pick<CallableSnapshot, 'fault' | 'contextMembers'>;
type ReferenceSnapshot = Pick<CallableSnapshot, 'file' | 'isTypeScript'> & LoadedSnapshot;

async function snapshotReference(
  text: string,
  { extension }: Definition,
  modules: ModuleReader,
): Promise<ReferenceSnapshot> {
  const { paths } = extension;
  try {
    const reference = parseModuleReference(text, paths);
    const target = await locateModule(paths, reference);
    const file = path.relative(paths.directory, target).replaceAll('\\', '/');
    if (!isModuleFile(file))
      return { file, fault: { kind: 'missing', reason: `names ${file}, which is not a JavaScript module` } };
    const isTypeScript = typescript.includes(path.extname(file));
    const loaded = isTypeScript ? {} : await loadedFacts(file, reference.exportName, modules);
    return { file, isTypeScript, ...loaded };
  } catch (error) {
    if (!(error instanceof ModuleReferenceError)) throw error;
    const kind = error.fault === 'outside' ? 'outside' : 'missing';
    return { fault: { kind, reason: `cannot be used: ${error.message}` } };
  }
}

async function loadedFacts(file: string, name: string, modules: ModuleReader): Promise<LoadedSnapshot> {
  try {
    const { types, contextMembers: named } = await modules.load(file);
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === 'function') return Object.hasOwn(named, name) ? { contextMembers: named[name]! } : {};
    if (type !== undefined && type !== 'undefined') {
      const hint =
        type === 'object'
          ? '. If it is a tool of another library, make it the default export of a definition file'
          : '';
      return missingReference(
        `names the export "${name}" of ${file}, which is not a function, but of type ${type}${hint}`,
      );
    }
    const known = presentExports(types).join(', ') || 'nothing';
    return missingReference(`names the export "${name}", which ${file} does not have. It exports: ${known}`);
  } catch (error) {
    if (error instanceof NotLoadedError) return {};
    if (!(error instanceof InspectionError)) throw error;
    const { position } = error.failure;
    const place = position ? `${file}:${position.line}:${position.column}` : file;
    const reason = `cannot be used, because ${place} does not load: ${errorMessage(error)}`;
    return { fault: { kind: 'failed', reason } };
  }
}

function missingReference(reason: string): LoadedSnapshot {
  return { fault: { kind: 'missing', reason } };
}

/** The exports with a value. */
function presentExports(types: Readonly<Record<string, string>>): string[] {
  return Object.keys(types).filter((name) => types[name] !== 'undefined');
}
