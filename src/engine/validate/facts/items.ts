import { stat } from 'node:fs/promises';
import path from 'node:path';
import { checkDefinition } from '../../extension/check.js';
import type { DefinitionFile } from '../../extension/definition-files.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import { type Definition, DefinitionError, type Extension } from '../../extension/extension.js';
import { type Kind, singular } from '../../extension/kinds.js';
import type { Declaration } from '../../extension/manifest.js';
import { isRecord, type ShapeFault } from '../../extension/shapes.js';
import { isInScope, pathFault } from '../../files/contain.js';
import { withMetadata } from '../../items/app.js';
import { withArguments } from '../../items/prompt.js';
import { locate, touchesUnplain } from '../../items/read.js';
import { readSchema } from '../../items/tool.js';
import { schemaIn } from '../../items/wire.js';
import {
  type CompiledSchema,
  checkWireSchema,
  rawSchemaIn,
  SchemaError,
  type SchemaSide,
} from '../../schema/index.js';
import { InspectionError } from '../inspector.js';
import { type CallableFacts, gatherCallables } from './callables.js';
import { type ModuleReader, NotLoadedError } from './modules.js';
import { gatherPage, type PageFacts } from './pages.js';
import { gatherUpstreams, type UpstreamFacts } from './upstreams.js';

/** An item of the extension: declared, or defined right in a server's list. */
export interface ItemFacts {
  readonly kind: Kind;
  readonly name: string;
  readonly ref: ItemRef;
  /** Absent for one that stands in a server's list. */
  readonly declaration?: Declaration;
  /** The file that is to define it, if it is declared and there is one. */
  readonly source?: DefinitionFile;
  readonly definition?: Definition;
  /** Why there is no definition. */
  readonly error?: DefinitionError;
  /** An item before it has no definition for the very same reason: nothing that has to be said twice. */
  readonly repeatsError?: boolean;
  /** Its definition is code, and no code was run. */
  readonly isUnchecked?: boolean;
  /** What is wrong with its keys. */
  readonly faults: readonly ShapeFault[];
  readonly callables: readonly CallableFacts[];
  /** The places of existing servers that it writes out. */
  readonly upstreams?: readonly UpstreamFacts[];
  readonly schemaFaults: readonly SchemaFault[];
  /** The file a resource sends. */
  readonly content?: ContentFacts;
  /** The page of an app. */
  readonly page?: PageFacts;
  /** Keys of an app's metadata that stand beside its `ui`, where nobody looks. */
  readonly strayKeys?: readonly string[];
}

/** One thing wrong with a schema of a tool. */
interface SchemaFault {
  readonly side: SchemaSide;
  readonly key: string;
  readonly message: string;
  readonly location: Location;
}

interface ContentFacts {
  readonly file: string;
  readonly location: Location;
  readonly fault: 'outside' | 'missing' | undefined;
}

/** Everything about a declared item. */
export async function gatherItem(
  declaration: Declaration,
  extension: Extension,
  modules: ModuleReader,
): Promise<ItemFacts> {
  const { kind, name, toolkit } = declaration;
  const files = await extension.files();
  const source = toolkit === undefined ? files.find(kind, name)[0] : (await extension.toolkit(toolkit)).file;
  const page = kind === 'apps' && source ? await gatherPage(source.file, extension) : undefined;
  const ref = { kind: singular[kind], name };
  const base = { kind, name, ref, declaration, ...(source && { source }), ...(page && { page }) };
  try {
    const definition = await extension.definition(kind, name);
    if (kind !== 'apps') return { ...base, ...(await judge(definition, modules)) };
    const whole = await withMetadata(definition);
    return { ...base, ...(await judge(whole, modules)), strayKeys: await strayKeysOf(whole) };
  } catch (error) {
    return { ...base, ...missingItem(error, source) };
  }
}

/** What is known of an item without definition: why that is so. Anything but a fault of the extension is thrown. */
export function missingItem(
  thrown: unknown,
  source: DefinitionFile | undefined,
): Pick<ItemFacts, 'error' | 'isUnchecked' | 'faults' | 'callables' | 'schemaFaults'> {
  const error = unreadable(thrown, source) ?? thrown;
  if (!(error instanceof DefinitionError)) throw error;
  const isUnchecked = error.cause instanceof NotLoadedError;
  return { error: withPosition(error), isUnchecked, faults: [], callables: [], schemaFaults: [] };
}

/** A file that the system does not let us read. */
function unreadable(error: unknown, source: DefinitionFile | undefined): DefinitionError | undefined {
  if (!source || !(error instanceof Error) || !('syscall' in error)) return undefined;
  return new DefinitionError('invalid-definition', `${source.file} cannot be read: ${error.message}.`, {
    file: source.file,
  });
}

/** Points at the line where a module fails, when that is known. */
function withPosition(error: DefinitionError): DefinitionError {
  const { cause, code, message, location } = error;
  const position = cause instanceof InspectionError ? cause.failure.position : undefined;
  return position ? new DefinitionError(code, message, { ...location, position }, { cause }) : error;
}

/** Everything about an item that is defined in a server's list. */
export async function gatherInlineItem(definition: Definition, modules: ModuleReader): Promise<ItemFacts> {
  const { kind, item: name } = definition;
  return { kind, name, ref: { kind: singular[kind], name }, ...(await judge(definition, modules)) };
}

type Judged = Pick<
  ItemFacts,
  'definition' | 'faults' | 'callables' | 'upstreams' | 'schemaFaults' | 'content'
>;

async function judge(given: Definition, modules: ModuleReader): Promise<Judged> {
  const definition = given.kind === 'prompts' ? withArguments(given) : given;
  const [callables, upstreams, schemaFaults, content] = await Promise.all([
    gatherCallables(definition, modules),
    gatherUpstreams(definition),
    definition.kind === 'tools' ? gatherSchemaFaults(definition) : [],
    definition.kind === 'resources' ? contentOf(definition) : undefined,
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

async function strayKeysOf({ extension, file, at }: Definition): Promise<readonly string[]> {
  if (at.length === 0) return [];
  const { value } = await extension.document(file.file);
  const keys = Object.keys(isRecord(value) ? value : {});
  return keys.filter((key) => !at.includes(key) && key !== '$schema' && !key.startsWith('x-'));
}

async function gatherSchemaFaults(definition: Definition): Promise<SchemaFault[]> {
  const sides = ['input', 'output'] as const satisfies readonly SchemaSide[];
  return (await Promise.all(sides.map((side) => schemaFaultsOf(definition, side)))).flat();
}

async function schemaFaultsOf(definition: Definition, side: SchemaSide): Promise<SchemaFault[]> {
  const { key, schema } = schemaIn(definition.value, side) ?? {};
  if (key === undefined || isLeftToShape(schema, key)) return [];
  try {
    const compiled = await readSchema(definition, side);
    return compiled ? await wireFaults(compiled, { definition, side, key }) : [];
  } catch (error) {
    if (!(error instanceof DefinitionError) || !(error.cause instanceof SchemaError)) throw error;
    const { cause } = error;
    const written = await writtenFaults({ definition, side, key });
    if (written.length > 0) return written;
    return [cause, ...cause.others].map(({ message, path: at }) => ({
      side,
      key,
      message,
      location: locate(definition, [key, ...at]),
    }));
  }
}

/** Values of a wrong type are told by the shape of the definition. */
function isLeftToShape(value: unknown, key: string): boolean {
  if (typeof value === 'string' || isRecord(value)) return false;
  return key.endsWith('Schema') || !(Array.isArray(value) || typeof value === 'function');
}

/** Everything that is wrong with a JSON Schema that is written out, though the first of it makes the schema unusable. */
async function writtenFaults(place: {
  definition: Definition;
  side: SchemaSide;
  key: string;
}): Promise<SchemaFault[]> {
  const { schema, rawOnly = false } = schemaIn(place.definition.value, place.side) ?? {};
  const wire = rawSchemaIn(schema, { side: place.side, rawOnly });
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

async function contentOf(definition: Definition): Promise<ContentFacts | undefined> {
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
