import { isDeepStrictEqual } from 'node:util';
import { findChoices, restrictChoices } from './choices.js';
import { type CheckResult, type CompiledSchema, isRecord } from './compiled-schema.js';
import { collectDeclared, type DeclaredProperties } from './declared-properties.js';
import { remainingSchema } from './fixed-arguments.js';
import type { JsonSchema } from './json-schema.js';
import type { FixedArguments, FixedValues } from './partial-schema.js';
import { formatPathName, fromPointer, type SchemaIssue, toPointer } from './schema-issue.js';
import { checkLazily } from './validator.js';

/** What a server says of one argument of a tool, instead of what the tool says. */
export interface ParameterOverride {
  /** What clients call it. */
  readonly name?: string;
  readonly description?: string;
  /** The only ones of its values that clients may send. */
  readonly enum?: readonly unknown[];
  /** Clients do not see it and cannot send it. */
  readonly hidden?: boolean;
  /** What the tool gets where it is not sent. */
  readonly default?: unknown;
}

/** What a server changes about the arguments of a tool. Names are those that the tool itself knows. */
export interface InputOverrides {
  /** Values that nobody sends. */
  readonly pinned: FixedValues;
  readonly parameters: Readonly<Record<string, ParameterOverride>>;
}

/**
 * The input of a tool as clients see it once a server has changed it. What they send by it reaches the tool under the names
 * that the tool knows.
 * @throws SchemaError if the schema gets too large, or is nested too deep to be worked out
 */
export function changeInput(input: CompiledSchema, changes: InputOverrides): CompiledSchema {
  const declared = collectDeclared(input.wire);
  const settled = resolveOverrides(input, changes, declared);
  const wire = remainingSchema(input.wire, settled) || input.wire;
  const listed = checkLazily(wire, 'input');
  const route = new ArgumentMapping(settled, fillIns(changes));
  const limits = listAllowedValues(changes, declared, input.wire);
  return { form: input.form, wire, check: check({ input, listed, route, limits }) };
}

/** What the changes come to. */
export function resolveOverrides(
  input: CompiledSchema,
  { pinned, parameters }: InputOverrides,
  declared: DeclaredProperties,
): FixedArguments {
  const given: Record<string, unknown> = { ...pinned };
  const absent = new Set<string>();
  const defaulted = new Set<string>();
  const names = new Map<string, string>();
  const told = new Map<string, (schema: JsonSchema) => JsonSchema>();
  for (const [name, change] of Object.entries(parameters)) {
    if (change.hidden) {
      const value = valueOfHidden(name, change, { input, declared });
      if (value === undefined) absent.add(name);
      else given[name] = value;
      continue;
    }
    if (change.default !== undefined) defaulted.add(name);
    if (change.name !== undefined && change.name !== name) names.set(name, change.name);
    told.set(name, tellOtherwise(change, choicesOfDeclared(name, declared, input.wire)?.depth ?? 0));
  }
  return { pinned: given, absent, defaulted, names, told };
}

/**
 * What a tool gets in place of an argument that nobody can send. Undefined: nothing, and where the tool itself fills in a
 * default it still does.
 */
export function valueOfHidden(
  name: string,
  change: ParameterOverride,
  { input, declared }: { readonly input: CompiledSchema; readonly declared: DeclaredProperties },
): unknown {
  if (change.default !== undefined) return change.default;
  const isFilledIn = input.form !== 'raw' && !declared.required.has(name);
  return isFilledIn ? undefined : declaredDefault(name, declared);
}

/** The default that a schema tells of an argument. */
export function declaredDefault(name: string, { properties }: DeclaredProperties): unknown {
  return properties.get(name)?.find((schema) => schema.default !== undefined)?.default;
}

/** The values that a schema lists for an argument, in the first place where it lists any. */
export function choicesOfDeclared(name: string, { properties }: DeclaredProperties, root: JsonSchema) {
  for (const schema of properties.get(name) ?? []) {
    const choices = findChoices(schema, root);
    if (choices) return choices;
  }
  return undefined;
}

function tellOtherwise(change: ParameterOverride, depth: number): (schema: JsonSchema) => JsonSchema {
  const { description, enum: values, default: standard } = change;
  return (schema) => ({
    ...(values ? restrictChoices(schema, values, depth) : schema),
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
  });
}

/** What is filled in for arguments that clients may send and did not. */
function fillIns({ parameters }: InputOverrides): FixedValues {
  const entries = Object.entries(parameters).filter(([, change]) => !change.hidden);
  return Object.fromEntries(
    entries.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The way of arguments from the names that clients know to those that the tool knows. */
class ArgumentMapping {
  readonly #settled: FixedArguments;
  readonly #fillIns: FixedValues;
  /** What clients call an argument, to what the tool calls it. */
  readonly #own: ReadonlyMap<string, string>;

  constructor(settled: FixedArguments, fillIns: FixedValues) {
    this.#settled = settled;
    this.#fillIns = fillIns;
    this.#own = new Map([...settled.names].map(([own, called]) => [called, own]));
  }

  /** What the tool gets. */
  inward(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const known = Object.entries(sent).filter(([key]) => !this.#isGone(key));
    const own = Object.fromEntries(known.map(([key, value]) => [this.#own.get(key) ?? key, value]));
    const missing = Object.entries(this.#fillIns).filter(([name]) => !Object.hasOwn(own, name));
    // Handlers may change what they are given.
    const given = structuredClone({ ...Object.fromEntries(missing), ...this.#settled.pinned });
    return Object.fromEntries([...Object.entries(own), ...Object.entries(given)]);
  }

  /** What clients call an argument. */
  called(name: string): string {
    return this.#settled.names.get(name) ?? name;
  }

  /** Whether somebody goes by a name that only the tool knows. */
  hasOldName(sent: Readonly<Record<string, unknown>>): boolean {
    return [...this.#settled.names.keys()].some((own) => Object.hasOwn(sent, own) && !this.#own.has(own));
  }

  /** An issue about what the tool got, in the names that clients know. */
  outward({ path, message }: SchemaIssue): SchemaIssue {
    const [first, ...others] = fromPointer(path);
    if (first === undefined || !this.#settled.names.has(first)) return { path, message };
    const called = this.called(first);
    const quoted = first.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const words = message.replace(new RegExp(`^("?)${quoted}(?![\\w-])`), (_, quote) => quote + called);
    return { path: toPointer([called, ...others]), message: words };
  }

  #isGone(key: string): boolean {
    if (this.#own.has(key)) return false;
    const { pinned, absent, names } = this.#settled;
    return Object.hasOwn(pinned, key) || absent.has(key) || names.has(key);
  }
}

/** The values that are left of those an argument may have. */
interface AllowedValues {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly depth: number;
}

function listAllowedValues(
  { parameters }: InputOverrides,
  declared: DeclaredProperties,
  root: JsonSchema,
): readonly AllowedValues[] {
  return Object.entries(parameters).flatMap(([name, { enum: values }]) => {
    if (!values) return [];
    return [{ name, values, depth: choicesOfDeclared(name, declared, root)?.depth ?? 0 }];
  });
}

interface OverrideParts {
  readonly input: CompiledSchema;
  /** Checks by the schema that clients see. */
  readonly listed: (value: unknown) => Promise<CheckResult>;
  readonly route: ArgumentMapping;
  readonly limits: readonly AllowedValues[];
}

/** The tool's own check decides; what clients see says why, in their names. */
function check({ input, listed, route, limits }: OverrideParts): CompiledSchema['check'] {
  return async (sent) => {
    if (!isRecord(sent)) return await input.check(sent);
    const own = route.inward(sent);
    const checked = await input.check(own);
    const outside = limits.flatMap((limit) =>
      findDisallowed(own[limit.name], limit, [route.called(limit.name)]),
    );
    if (checked.ok && outside.length === 0) {
      if (!route.hasOldName(sent)) return checked;
      const told = await listed(sent);
      return told.ok ? checked : told;
    }
    const translated = [...outside, ...(checked.ok ? [] : checked.issues.map((one) => route.outward(one)))];
    // A schema library has words of its own for what is wrong.
    const told = input.form === 'standard' ? undefined : await listed(sent);
    return told && !told.ok ? told : { ok: false, issues: translated };
  };
}

/** Values that are none of those that are left. */
function findDisallowed(
  value: unknown,
  limit: AllowedValues,
  path: readonly (string | number)[],
): SchemaIssue[] {
  const { values, depth } = limit;
  if (value === undefined) return [];
  if (depth > 0) {
    const items = Array.isArray(value) ? value : [];
    return items.flatMap((item, index) =>
      findDisallowed(item, { ...limit, depth: depth - 1 }, [...path, index]),
    );
  }
  if (values.some((one) => isDeepStrictEqual(one, value))) return [];
  const known = values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
  return [{ path: toPointer(path), message: `${formatPathName(path, 'It')} must be one of: ${known}` }];
}
