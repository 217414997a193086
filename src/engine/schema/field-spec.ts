import { isRecord } from '../base/value-checks.js';
import type { CastPlan, FieldPlan } from './cast-plan.js';
import { expectation } from './field-default.js';
import { commonOptions, optionChecks, optionsInstead } from './field-options.js';
import type { EnumValue } from './fields.js';
import { suggestFormat } from './formats.js';
import type { JsonSchema } from './json-schema.js';
import { SchemaError } from './schema-error.js';

/** A field spec in wire form, with the plan that casts arguments. */
export interface CompiledFields {
  readonly wire: JsonSchema;
  readonly plan: CastPlan;
  readonly warnings: readonly FieldWarning[];
}

/** A valid part of a field spec that has no effect. */
export interface FieldWarning {
  readonly path: Path;
  readonly message: string;
}

/** Greatest nesting depth of fields. */
const maxFieldDepth = 32;

/** Most faults reported for one spec. */
const maxSpecFaults = 100;

/**
 * Compiles a field spec: an object, or a list of `[name, field]`.
 * @throws SchemaError with one fault per invalid field
 */
export function compileFields(spec: unknown): CompiledFields {
  const warnings: FieldWarning[] = [];
  const faults: SchemaError[] = [];
  const compiled = compileObject(spec, { path: [], label: '', depth: 0, warnings, faults });
  const [first, ...others] = faults;
  if (first) throw new SchemaError(first.message, first.path, { others });
  return { ...compiled, warnings };
}

/** Returns the parts of a field spec that have no effect; empty if the spec itself is invalid. */
export function fieldWarnings(spec: unknown): readonly FieldWarning[] {
  try {
    return compileFields(spec).warnings;
  } catch (error) {
    if (error instanceof SchemaError) return [];
    throw error;
  }
}

/** True if a value looks like a field, valid or not. */
export function looksLikeField(value: unknown): boolean {
  if (typeof value === 'string' || isNestedList(value)) return isKnown(parseType(value).base);
  return isRecord(value) && (typeof value.type === 'string' || isNestedList(value.type));
}

type Path = readonly (string | number)[];

/** Current position in the spec, and the problems found so far. */
interface FieldSpecContext {
  readonly path: Path;
  /** True if the field is only a type name, so paths cannot point at an option. */
  readonly isBare?: boolean;
  /** Field name in messages: names joined by dots. */
  readonly label: string;
  readonly depth: number;
  readonly warnings: FieldWarning[];
  /** Faults of all invalid fields. */
  readonly faults: SchemaError[];
}

interface CompiledField {
  readonly wire: JsonSchema;
  readonly plan: CastPlan;
}

type RawFieldOptions = Readonly<Record<string, unknown>>;

interface FieldType {
  /** Options of this type only. */
  readonly options: readonly string[];
  /** True if these options apply to the items in a list of this type. */
  readonly ofItems?: true;
  compile(options: RawFieldOptions, place: FieldSpecContext): CompiledField;
}

/** All field types. */
const fieldTypes: Readonly<Record<string, FieldType>> = {
  string: {
    options: ['minLength', 'maxLength', 'pattern', 'format'],
    compile({ minLength, maxLength, pattern, format }, place) {
      noteFormat(format, place);
      return compileScalar('string', { minLength, maxLength, pattern, format });
    },
  },
  integer: {
    options: ['min', 'max'],
    compile: ({ min, max }) => compileScalar('integer', { minimum: min, maximum: max }),
  },
  number: {
    options: ['min', 'max'],
    compile: ({ min, max }) => compileScalar('number', { minimum: min, maximum: max }),
  },
  boolean: { options: [], compile: () => compileScalar('boolean', {}) },
  enum: { options: ['values', 'wire'], ofItems: true, compile: compileEnum },
  object: { options: ['fields'], ofItems: true, compile: compileNested },
  array: { options: ['items', 'min', 'max'], compile: compileArray },
};

function noteFormat(format: unknown, { path, label, warnings }: FieldSpecContext): void {
  const meant = suggestFormat(format);
  if (meant === undefined) return;
  const message = `Field "${label}": ${quote(format)} is no known format, so nothing is checked by it. Did you mean "${meant}"?`;
  warnings.push({ path: [...path, 'format'], message });
}

function compileObject(spec: unknown, place: FieldSpecContext): CompiledField {
  if (place.depth > maxFieldDepth) throw fault(place, `fields nest deeper than ${maxFieldDepth} levels`);

  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const plans: FieldPlan[] = [];
  for (const { name, field, path } of readEntries(spec, place)) {
    if (place.faults.length >= maxSpecFaults) break;
    const label = place.label ? `${place.label}.${name}` : name;
    const isBare = typeof field === 'string' || Array.isArray(field);
    const at: FieldSpecContext = { ...place, path, label, isBare, depth: place.depth + 1 };
    const read = collectFault(place.faults, () => {
      if (name === '__proto__') throw fault(at, 'this name is not available');
      if (Object.hasOwn(properties, name)) throw fault(at, 'the name is declared twice');
      return readField(field, at);
    });
    if (!read) continue;

    const { options, compiled, initial } = read;
    const { description } = options;
    properties[name] = {
      ...compiled.wire,
      ...(description !== undefined && { description }),
      ...(initial && { default: initial.wire }),
    };
    if (options.required === true) required.push(name);
    plans.push({ name, plan: compiled.plan, required: options.required === true, initial });
  }
  return {
    wire: { type: 'object', properties, ...(required.length > 0 && { required }) },
    plan: { kind: 'object', fields: plans },
  };
}

/** Reads a field. Returns undefined if a part is invalid and adds its fault. */
function readField(field: unknown, place: FieldSpecContext) {
  const known = place.faults.length;
  const options = readOptions(field, place);
  const compiled = compileField(options, place);
  // An invalid field cannot check its default.
  if (place.faults.length > known) return undefined;
  return { options, compiled, initial: readDefault(options, compiled, place) };
}

function collectFault<T>(faults: SchemaError[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    faults.push(error);
    return undefined;
  }
}

interface FieldEntry {
  readonly name: string;
  readonly field: unknown;
  readonly path: Path;
}

function readEntries(spec: unknown, place: FieldSpecContext): FieldEntry[] {
  if (Array.isArray(spec))
    return spec.flatMap(
      (pair: unknown, index) => collectFault(place.faults, () => readPair(pair, index, place)) ?? [],
    );
  if (!isRecord(spec)) throw fault(place, 'expected an object of fields, or a list of [name, field]');
  return Object.entries(spec).map(([name, field]) => ({ name, field, path: [...place.path, name] }));
}

function readPair(pair: unknown, index: number, place: FieldSpecContext): FieldEntry {
  if (Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string')
    return { name: pair[0], field: pair[1], path: [...place.path, index, 1] };
  throw fault({ ...place, path: [...place.path, index] }, 'expected a pair [name, field]');
}

/** Returns the options of a field, including its type. The options are not checked yet. */
function readOptions(field: unknown, place: FieldSpecContext): RawFieldOptions {
  if (typeof field === 'string' || isNestedList(field)) return { type: field };
  if (!isRecord(field)) throw fault(place, 'expected a type or an object of options with "type"');
  if (field.type === undefined) throw fault(place, `"type" is missing. Known types: ${knownTypes}`);
  return field;
}

function compileField(options: RawFieldOptions, place: FieldSpecContext): CompiledField {
  if (place.depth > maxFieldDepth) throw fault(place, `fields nest deeper than ${maxFieldDepth} levels`);
  const { base, depth } = parseType(options.type);
  const type = isKnown(base) ? fieldTypes[base] : undefined;
  if (!type) throw fault(place, `unknown type ${quote(options.type)}. Known types: ${knownTypes}`, 'type');

  checkOptions(options, { base, depth }, place);
  if (depth === 0) return type.compile(options, place);
  return compileList(options, { base, depth }, place);
}

/**
 * Compiles `"string[]"` and deeper: wraps the item type in arrays. The bounds apply to the outermost array.
 */
function compileList(
  options: RawFieldOptions,
  { base, depth }: ParsedType,
  place: FieldSpecContext,
): CompiledField {
  const type = fieldTypes[base]!;
  const itemOptions = type.ofItems ? pick(options, type.options) : {};
  let compiled = type.compile({ type: base, ...itemOptions }, place);
  for (let level = 1; level <= depth; level++) {
    const bounds = level === depth ? { minItems: options.min, maxItems: options.max } : {};
    compiled = {
      wire: { type: 'array', items: compiled.wire, ...omitUndefinedOptions(bounds) },
      plan: { kind: 'array', items: compiled.plan },
    };
  }
  return compiled;
}

interface ParsedType {
  readonly base: string;
  /** Number of `[]` pairs. */
  readonly depth: number;
}

/** `["array", "string"]`, another form of `"string[]"`. */
function isNestedList(type: unknown): type is readonly ['array', unknown] {
  return Array.isArray(type) && type.length === 2 && type[0] === 'array';
}

function parseType(type: unknown): ParsedType {
  if (isNestedList(type)) {
    const { base, depth } = parseType(type[1]);
    return { base, depth: depth + 1 };
  }
  const [, base = '', brackets = ''] =
    /^([a-z]+)((?:\[\])*)$/.exec(typeof type === 'string' ? type : '') ?? [];
  return { base, depth: brackets.length / 2 };
}

function isKnown(base: string): boolean {
  return Object.hasOwn(fieldTypes, base);
}

const knownTypes = `${Object.keys(fieldTypes).join(', ')}, and each with [] for a list`;

function checkOptions(options: RawFieldOptions, { base, depth }: ParsedType, place: FieldSpecContext): void {
  if (depth > maxFieldDepth) throw fault(place, `lists nest deeper than ${maxFieldDepth} levels`, 'type');
  const type = fieldTypes[base]!;
  const own = depth === 0 ? type.options : ['min', 'max', ...(type.ofItems ? type.options : [])];
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (![...commonOptions, ...own].includes(option))
      throw fault(place, unfitOption(option, { base, depth }, own), option);

    const wanted = optionChecks[option]?.(value);
    if (wanted) throw fault(place, `"${option}" must be ${wanted}`, option);
    if (depth + Number(base === 'array') > 0 && (option === 'min' || option === 'max')) {
      if (!Number.isInteger(value) || Number(value) < 0)
        throw fault(place, `"${option}" counts items and must be a whole number from 0`, option);
    }
  }
  for (const [low, high] of [
    ['min', 'max'],
    ['minLength', 'maxLength'],
  ] as const) {
    if (Number(options[low]) > Number(options[high]))
      throw fault(place, `"${low}" is greater than "${high}"`, low);
  }
}

function unfitOption(option: string, { base, depth }: ParsedType, own: readonly string[]): string {
  const type = base + '[]'.repeat(depth);
  const start = `"${option}" does not fit type "${type}"`;
  if (depth > 0 && fieldTypes[base]!.options.includes(option))
    return `${start}; constrain items with { type: "array", items: { type: "${base}${'[]'.repeat(depth - 1)}", ${option} } }`;

  const instead = optionsInstead[depth > 0 ? 'array' : base]?.[option];
  if (instead && (own.includes(instead) || instead.includes('"'))) return `${start}; use "${instead}"`;
  return `${start}, which takes ${[...own, ...commonOptions.slice(1)].join(', ')}`;
}

function compileEnum({ values, wire = 'string' }: RawFieldOptions, place: FieldSpecContext): CompiledField {
  if (!Array.isArray(values) || values.length === 0)
    throw fault(place, 'an enum requires "values", a list with at least one value', 'values');

  for (const [index, value] of values.entries()) {
    if (!isEnumValue(value))
      throw fault(place, 'an enum lists strings, numbers and booleans only', 'values', index);
    const same = (other: unknown) => (wire === 'native' ? other === value : String(other) === String(value));
    if (values.findIndex(same) < index)
      throw fault(place, `${quote(value)} is listed twice`, 'values', index);
  }
  const declared = values as readonly EnumValue[];
  if (wire === 'native') {
    const types = new Set(declared.map((value) => typeof value));
    const type = types.size === 1 ? { type: typeof declared[0] } : {};
    return { wire: { ...type, enum: [...declared] }, plan: { kind: 'enum', values: declared, native: true } };
  }
  return {
    wire: { type: 'string', enum: declared.map(String) },
    plan: { kind: 'enum', values: declared, native: false },
  };
}

function isEnumValue(value: unknown): value is EnumValue {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function compileNested({ fields }: RawFieldOptions, place: FieldSpecContext): CompiledField {
  const isEmpty = Array.isArray(fields)
    ? fields.length === 0
    : !isRecord(fields) || Object.keys(fields).length === 0;
  if (isEmpty) throw fault(place, 'an object requires "fields" with at least one field', 'fields');
  return compileObject(fields, { ...place, path: [...place.path, 'fields'], depth: place.depth + 1 });
}

function compileArray({ items, min, max }: RawFieldOptions, place: FieldSpecContext): CompiledField {
  if (items === undefined) throw fault(place, 'an array requires "items", the field each item is', 'items');

  const at: FieldSpecContext = {
    ...place,
    path: [...place.path, 'items'],
    label: `${place.label}[]`,
    isBare: typeof items === 'string' || Array.isArray(items),
    depth: place.depth + 1,
  };
  const options = readOptions(items, at);
  for (const option of ['required', 'default']) {
    if (options[option] !== undefined) throw fault(at, `"${option}" has no meaning for items`, option);
  }
  const { wire, plan } = compileField(options, at);
  const { description } = options;
  return {
    wire: {
      type: 'array',
      items: { ...wire, ...(description !== undefined && { description }) },
      ...omitUndefinedOptions({ minItems: min, maxItems: max }),
    },
    plan: { kind: 'array', items: plan },
  };
}

/** Returns the default in wire form. */
function readDefault(
  options: RawFieldOptions,
  compiled: CompiledField,
  place: FieldSpecContext,
): FieldPlan['initial'] {
  const value = options.default;
  if (value === undefined) return undefined;

  const path = [...place.path, 'default'];
  const about = `Field "${place.label}"`;
  if (value === null) {
    place.warnings.push({ path, message: `${about}: a default of null is never applied. Leave it out.` });
    return undefined;
  }
  const wanted = expectation(value, compiled);
  if (wanted) throw fault(place, `the default must be ${wanted}`, 'default');
  if (options.required === true)
    place.warnings.push({
      path,
      message: `${about} is required, so its default is never used. Drop one of the two.`,
    });
  return { wire: toWire(value, compiled.plan) };
}

/** Converts a declared value to its wire form. */
export function toWire(value: unknown, plan: CastPlan): unknown {
  if (plan.kind === 'enum')
    return !plan.native && plan.values.includes(value as EnumValue) ? String(value) : value;
  if (plan.kind === 'array')
    return Array.isArray(value) ? value.map((item) => toWire(item, plan.items)) : value;
  if (plan.kind !== 'object' || !isRecord(value)) return value;

  const entries = Object.entries(value).map(([name, child]): [string, unknown] => {
    const field = plan.fields.find((candidate) => candidate.name === name);
    return [name, field ? toWire(child, field.plan) : child];
  });
  return Object.fromEntries(entries);
}

function compileScalar(
  type: 'string' | 'integer' | 'number' | 'boolean',
  keywords: RawFieldOptions,
): CompiledField {
  return { wire: { type, ...omitUndefinedOptions(keywords) }, plan: { kind: 'scalar', type } };
}

function omitUndefinedOptions(options: RawFieldOptions): RawFieldOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function pick(options: RawFieldOptions, names: readonly string[]): RawFieldOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}

function fault(
  { path, label, isBare = false }: FieldSpecContext,
  problem: string,
  ...into: (string | number)[]
): SchemaError {
  const message = label
    ? `Field "${label}": ${problem}.`
    : `${problem[0]?.toUpperCase()}${problem.slice(1)}.`;
  return new SchemaError(message, isBare ? path : [...path, ...into]);
}

function quote(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
