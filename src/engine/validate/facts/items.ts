import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isInScope, pathFault } from '../../base/files/path-containment.js';
import { isRecord } from '../../base/value-checks.js';
import { checkDefinition } from '../../extension/check-definition.js';
import type { ShapeFault } from '../../extension/check-shape.js';
import type { DefinitionFile } from '../../extension/definition-files.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import { type Definition, DefinitionError, type Extension } from '../../extension/extension.js';
import { type Kind, singular } from '../../extension/item-kinds.js';
import type { Declaration } from '../../extension/manifest.js';
import { withMetadata } from '../../runtime/app.js';
import { withArguments } from '../../runtime/prompt.js';
import { locate, touchesUnplain } from '../../runtime/read-definition.js';
import { readSchema } from '../../runtime/tool.js';
import { findAuthoredSchema } from '../../runtime/wire-item.js';
import {
  type CompiledSchema,
  checkWireSchema,
  SchemaError,
  type SchemaSide,
  unwrapRawSchema,
} from '../../schema/index.js';
import { InspectionError } from '../inspector.js';
import { type CallableSnapshot, gatherCallables } from './callables.js';
import { type ModuleReader, NotLoadedError } from './modules.js';
import { gatherPage, type PageSnapshot } from './pages.js';
import { gatherUpstreams, type UpstreamSnapshot } from './upstreams.js';

/** An item of the extension: declared, or defined inline in a server's list. */
export interface ItemSnapshot {
  readonly kind: Kind;
  readonly name: string;
  readonly ref: ItemRef;
  /** Absent for an inline definition. */
  readonly declaration?: Declaration;
  /** The definition file, if the item is declared and the file exists. */
  readonly source?: DefinitionFile;
  readonly definition?: Definition;
  /** The reason why there is no definition. */
  readonly error?: DefinitionError;
  /** True if an earlier item has the same error, which is reported only once. */
  readonly repeatsError?: boolean;
  /** True if the definition is code, and no code was run. */
  readonly isUnchecked?: boolean;
  /** Faults in its keys. */
  readonly faults: readonly ShapeFault[];
  readonly callables: readonly CallableSnapshot[];
  /** The upstream endpoints that the definition declares. */
  readonly upstreams?: readonly UpstreamSnapshot[];
  readonly schemaFaults: readonly SchemaFault[];
  /** The file that a resource sends. */
  readonly content?: ContentSnapshot;
  /** The page of an app. */
  readonly page?: PageSnapshot;
  /** Keys beside `ui` in the metadata of an app. They have no effect. */
  readonly strayKeys?: readonly string[];
}

/** A fault in a schema of a tool. */
interface SchemaFault {
  readonly side: SchemaSide;
  readonly key: string;
  readonly message: string;
  readonly location: Location;
}

interface ContentSnapshot {
  readonly file: string;
  readonly location: Location;
  readonly fault: 'outside' | 'missing' | undefined;
}

/** Gathers the snapshot of a declared item. */
export async function gatherItem(
  declaration: Declaration,
  extension: Extension,
  modules: ModuleReader,
): Promise<ItemSnapshot> {
  const { kind, name, toolkit } = declaration;
  const files = await extension.files();
  const source = toolkit === undefined ? files.find(kind, name)[0] : (await extension.toolkit(toolkit)).file;
  const page = kind === 'apps' && source ? await gatherPage(source.file, extension) : undefined;
  const ref = { kind: singular[kind], name };
  const base = { kind, name, ref, declaration, ...(source && { source }), ...(page && { page }) };
  try {
    const definition = await extension.definition(kind, name);
    if (kind !== 'apps') return { ...base, ...(await inspectItem(definition, modules)) };
    const whole = await withMetadata(definition);
    return { ...base, ...(await inspectItem(whole, modules)), strayKeys: await findStrayKeys(whole) };
  } catch (error) {
    return { ...base, ...missingItem(error, source) };
  }
}

/**
 * The snapshot of an item without a definition: the reason. Rethrows errors that are not faults of the
 * extension.
 */
export function missingItem(
  thrown: unknown,
  source: DefinitionFile | undefined,
): Pick<ItemSnapshot, 'error' | 'isUnchecked' | 'faults' | 'callables' | 'schemaFaults'> {
  const error = unreadableFileError(thrown, source) ?? thrown;
  if (!(error instanceof DefinitionError)) throw error;
  const isUnchecked = error.cause instanceof NotLoadedError;
  return { error: withPosition(error), isUnchecked, faults: [], callables: [], schemaFaults: [] };
}

/** A definition error for a file that the system refuses to read. */
function unreadableFileError(
  error: unknown,
  source: DefinitionFile | undefined,
): DefinitionError | undefined {
  if (!source || !(error instanceof Error) || !('syscall' in error)) return undefined;
  return new DefinitionError('invalid-definition', `${source.file} cannot be read: ${error.message}.`, {
    file: source.file,
  });
}

/** Adds the position of a module failure, if known. */
function withPosition(error: DefinitionError): DefinitionError {
  const { cause, code, message, location } = error;
  const position = cause instanceof InspectionError ? cause.failure.position : undefined;
  return position ? new DefinitionError(code, message, { ...location, position }, { cause }) : error;
}

/** Gathers the snapshot of an item that is defined inline in a server's list. */
export async function gatherInlineItem(definition: Definition, modules: ModuleReader): Promise<ItemSnapshot> {
  const { kind, item: name } = definition;
  return { kind, name, ref: { kind: singular[kind], name }, ...(await inspectItem(definition, modules)) };
}

type ItemInspection = Pick<
  ItemSnapshot,
  'definition' | 'faults' | 'callables' | 'upstreams' | 'schemaFaults' | 'content'
>;

async function inspectItem(given: Definition, modules: ModuleReader): Promise<ItemInspection> {
  const definition = given.kind === 'prompts' ? withArguments(given) : given;
  const [callables, upstreams, schemaFaults, content] = await Promise.all([
    gatherCallables(definition, modules),
    gatherUpstreams(definition),
    definition.kind === 'tools' ? gatherSchemaFaults(definition) : [],
    definition.kind === 'resources' ? readItemContent(definition) : undefined,
  ]);
  return {
    definition,
    faults: [...checkDefinition(definition.kind, definition.value)].filter(
      ({ path }) => !touchesUnplain(definition, path),
    ),
    callables,
    upstreams,
    schemaFaults: schemaFaults.filter(({ key }) => !touchesUnplain(definition, [key])),
    ...(content && { content }),
  };
}

async function findStrayKeys({ extension, file, at }: Definition): Promise<readonly string[]> {
  if (at.length === 0) return [];
  const { value } = await extension.document(file.file);
  const keys = Object.keys(isRecord(value) ? value : {});
  return keys.filter((key) => !at.includes(key) && key !== '$schema' && !key.startsWith('x-'));
}

async function gatherSchemaFaults(definition: Definition): Promise<SchemaFault[]> {
  const sides = ['input', 'output'] as const satisfies readonly SchemaSide[];
  return (await Promise.all(sides.map((side) => findSchemaFaults(definition, side)))).flat();
}

async function findSchemaFaults(definition: Definition, side: SchemaSide): Promise<SchemaFault[]> {
  const { key, schema } = findAuthoredSchema(definition.value, side) ?? {};
  if (key === undefined || isLeftToShape(schema, key)) return [];
  try {
    const compiled = await readSchema(definition, side);
    return compiled ? await wireFaults(compiled, { definition, side, key }) : [];
  } catch (error) {
    if (!(error instanceof DefinitionError) || !(error.cause instanceof SchemaError)) throw error;
    const { cause } = error;
    const written = await rawSchemaFaults({ definition, side, key });
    if (written.length > 0) return written;
    return [cause, ...cause.others].map(({ message, path: at }) => ({
      side,
      key,
      message,
      location: locate(definition, [key, ...at]),
    }));
  }
}

/** True if the shape check reports the wrong type. */
function isLeftToShape(value: unknown, key: string): boolean {
  if (typeof value === 'string' || isRecord(value)) return false;
  return key.endsWith('Schema') || !(Array.isArray(value) || typeof value === 'function');
}

/** All faults of a literal JSON Schema, not only the first one that makes it unusable. */
async function rawSchemaFaults(place: {
  definition: Definition;
  side: SchemaSide;
  key: string;
}): Promise<SchemaFault[]> {
  const { schema, rawOnly = false } = findAuthoredSchema(place.definition.value, place.side) ?? {};
  const wire = unwrapRawSchema(schema, { side: place.side, rawOnly });
  return wire ? await wireFaults({ form: 'raw', wire }, place) : [];
}

async function wireFaults(
  { form, wire }: Pick<CompiledSchema, 'form' | 'wire'>,
  { definition, side, key }: { definition: Definition; side: SchemaSide; key: string },
): Promise<SchemaFault[]> {
  const issues = await checkWireSchema(wire, side);
  const held = definition.value[key];
  const isWritten = form === 'raw' && isRecord(held) && !Object.hasOwn(held, '@@');
  return issues.map(({ path: at, message }) => ({
    side,
    key,
    message: isWritten || at.length === 0 ? message : `at /${at.join('/')}: ${message}`,
    location: locate(definition, isWritten ? [key, ...at] : [key]),
  }));
}

async function readItemContent(definition: Definition): Promise<ContentSnapshot | undefined> {
  const { file } = definition.value;
  if (typeof file !== 'string') return undefined;
  const { paths } = definition.extension;
  const target = path.resolve(paths.directory, file);
  const facts = {
    file: path.posix.normalize(file.replaceAll('\\', '/')),
    location: locate(definition, ['file']),
  };
  if (pathFault(file, paths)) return { ...facts, fault: 'outside' };
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile()) return { ...facts, fault: 'missing' };
  return { ...facts, fault: (await isInScope(paths, file)) ? undefined : 'outside' };
}
