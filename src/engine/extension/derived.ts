import path from 'node:path';
import { isRecord, isString } from '../base/value-checks.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { type CastsByPointer, castNames } from '../schema/value-caster.js';
import { ModuleReferenceError, parseModuleReference } from './modules.js';

/**
 * Value of a function parameter: an argument by name, the items of a list argument (`rest`), all arguments,
 * or the context.
 */
export type Binding =
  | { readonly name: string; readonly rest?: true }
  | { readonly whole: true }
  | { readonly context: true };

/** Facts about a function from its types and its doc comment. */
export interface DerivedFunction {
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly hidden?: boolean;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly inputSchema: JsonSchema;
  /** Absent if the function returns no value, a finished result, or a value of unknown type. */
  readonly outputSchema?: JsonSchema;
  /** Positions in `inputSchema` with values that are converted to types that JSON lacks. */
  readonly casts?: CastsByPointer;
  /** In parameter order. */
  readonly parameters: readonly Binding[];
}

/** Content of the file that `derive` writes. */
export interface Derived {
  readonly version: 1;
  /** Source files with the hash of their text. */
  readonly files: Readonly<Record<string, string>>;
  /** By canonical module reference. */
  readonly functions: Readonly<Record<string, DerivedFunction>>;
  /** Tools without a definition, by name, with the reference of their function. */
  readonly tools: Readonly<Record<string, string>>;
}

/**
 * Returns the canonical form of a module reference: `./dist/file.js#name`, without `#default`. Undefined if
 * it is invalid.
 */
export function canonicalReference(text: string): string | undefined {
  try {
    const { file, exportName } = parseModuleReference(text);
    const normal = `./${path.posix.normalize(file.replaceAll('\\', '/'))}`;
    return exportName === 'default' ? normal : `${normal}#${exportName}`;
  } catch (error) {
    if (error instanceof ModuleReferenceError) return undefined;
    throw error;
  }
}

/** Key of a function that a definition in code has as its handler. `file`: relative to the package. */
export function codeReference(file: string, item: string): string {
  return `./${file}?tool=${item}`;
}

/** Returns the module of a canonical reference. */
export function parseReferenceModule(reference: string): string {
  const hash = reference.lastIndexOf('#');
  return hash === -1 ? reference : reference.slice(0, hash);
}

/** Values that passed the check. Each tool reads the same value again, and there may be thousands. */
const validDerivations = new WeakSet<object>();

/** Reads the content of a derived file; undefined if its format is not the one that `derive` writes. */
export function readDerived(value: unknown): Derived | undefined {
  if (!isRecord(value) || value.version !== 1) return undefined;
  if (validDerivations.has(value)) return value as unknown as Derived;
  const { files, functions, tools } = value;
  const isWhole =
    isRecord(files) &&
    isRecord(functions) &&
    isRecord(tools) &&
    Object.values(files).every(isString) &&
    Object.values(functions).every(isFunction) &&
    Object.values(tools).every((reference) => isString(reference) && Object.hasOwn(functions, reference));
  if (!isWhole) return undefined;
  validDerivations.add(value);
  return value as unknown as Derived;
}

function isFunction(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { inputSchema, outputSchema, casts, parameters, annotations, title, description, category, hidden } =
    value;
  return (
    isRecord(inputSchema) &&
    (outputSchema === undefined || isRecord(outputSchema)) &&
    (annotations === undefined || isRecord(annotations)) &&
    [title, description, category].every((one) => one === undefined || isString(one)) &&
    (hidden === undefined || typeof hidden === 'boolean') &&
    (casts === undefined || (isRecord(casts) && Object.values(casts).every(isCastName))) &&
    Array.isArray(parameters) &&
    parameters.every(isBinding)
  );
}

function isBinding(value: unknown): boolean {
  return isRecord(value) && (isString(value.name) || value.whole === true || value.context === true);
}

function isCastName(value: unknown): boolean {
  return (castNames as readonly unknown[]).includes(value);
}

/** Adds the derived keys that a definition omits. Written keys win. */
export function withDerivedKeys(
  written: Readonly<Record<string, unknown>>,
  { title, description, category, hidden, annotations, inputSchema, outputSchema }: DerivedFunction,
): Readonly<Record<string, unknown>> {
  const givesOutput = written.output !== undefined || written.outputSchema !== undefined;
  const saysHidden = written.hidden !== undefined || written.visible !== undefined;
  const ownHints = isRecord(written.annotations) ? written.annotations : {};
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(category !== undefined && { category }),
    ...(hidden !== undefined && !saysHidden && { hidden }),
    inputSchema,
    ...(outputSchema !== undefined && !givesOutput && { outputSchema }),
    ...written,
    ...(annotations &&
      (written.annotations === undefined || isRecord(written.annotations)) && {
        annotations: { ...annotations, ...ownHints },
      }),
  };
}
