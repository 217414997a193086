import path from 'node:path';
import type { JsonSchema } from '../schema/json-schema.js';
import { type CastsByPointer, castNames } from '../schema/value-caster.js';
import { isRecord } from './definition-shapes.js';
import { ModuleReferenceError, parseModuleReference } from './modules.js';

/** What a parameter of a function gets: an argument by its name, the rest of them one by one, all of them, or the context. */
export type Binding =
  | { readonly name: string; readonly rest?: true }
  | { readonly whole: true }
  | { readonly context: true };

/** What is known of a function by its types and its doc comment. */
export interface DerivedFunction {
  readonly title?: string;
  readonly description?: string;
  readonly category?: string;
  readonly hidden?: boolean;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly inputSchema: JsonSchema;
  /** Absent if it gives nothing, or what it gives says itself what it is. */
  readonly outputSchema?: JsonSchema;
  /** Where in `inputSchema` values are made into what JSON has no form for. */
  readonly casts?: CastsByPointer;
  /** In the order of the parameters. */
  readonly parameters: readonly Binding[];
}

/** What `derive` writes. */
export interface Derived {
  readonly version: 1;
  /** The files it was derived from, with what they held. */
  readonly files: Readonly<Record<string, string>>;
  /** By module reference, in its canonical form. */
  readonly functions: Readonly<Record<string, DerivedFunction>>;
  /** Tools without a definition of their own, by name: the reference of their function. */
  readonly tools: Readonly<Record<string, string>>;
}

/** A module reference in the one form that is looked up: `./dist/file.js#name`, without `#default`. */
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

/** The module of a canonical reference. */
export function parseReferenceModule(reference: string): string {
  const hash = reference.lastIndexOf('#');
  return hash === -1 ? reference : reference.slice(0, hash);
}

/** What was found to be whole: each tool asks anew, and there may be thousands. */
const validDerivations = new WeakSet<object>();

/** Reads what a sidecar holds; undefined if it is not what `derive` writes. */
export function readDerived(value: unknown): Derived | undefined {
  if (!isRecord(value) || value.version !== 1) return undefined;
  if (validDerivations.has(value)) return value as unknown as Derived;
  const { files, functions, tools } = value;
  const isWhole =
    isRecord(files) &&
    isRecord(functions) &&
    isRecord(tools) &&
    Object.values(files).every(isText) &&
    Object.values(functions).every(isFunction) &&
    Object.values(tools).every((reference) => isText(reference) && Object.hasOwn(functions, reference));
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
    [title, description, category].every((one) => one === undefined || isText(one)) &&
    (hidden === undefined || typeof hidden === 'boolean') &&
    (casts === undefined || (isRecord(casts) && Object.values(casts).every(isCastName))) &&
    Array.isArray(parameters) &&
    parameters.every(isBinding)
  );
}

function isBinding(value: unknown): boolean {
  return isRecord(value) && (isText(value.name) || value.whole === true || value.context === true);
}

function isCastName(value: unknown): boolean {
  return (castNames as readonly unknown[]).includes(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** What a definition leaves out and its function says; what is written wins. */
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
