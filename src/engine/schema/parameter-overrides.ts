import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../base/value-checks.js';
import { findChoices, restrictChoices } from './choices.js';
import type { CheckResult, CompiledSchema } from './compiled-schema.js';
import { collectDeclared, type DeclaredProperties } from './declared-properties.js';
import { remainingSchema } from './fixed-arguments.js';
import type { JsonSchema } from './json-schema.js';
import type { FixedArguments, FixedValues } from './partial-schema.js';
import { formatPathName, fromPointer, type SchemaIssue, toPointer } from './schema-issue.js';
import { checkLazily } from './validator.js';

/** A server's changes to one argument of a tool. */
export interface ParameterOverride {
  /** Name that clients see. */
  readonly name?: string;
  readonly description?: string;
  /** Subset of the allowed values that clients may send. */
  readonly enum?: readonly unknown[];
  /** True if clients neither see nor send the argument. */
  readonly hidden?: boolean;
  /** Value that the tool gets if the client sends none. */
  readonly default?: unknown;
}

/** A server's changes to the arguments of a tool. Keys are the tool's own names. */
export interface InputOverrides {
  /** Fixed values that clients do not send. */
  readonly pinned: FixedValues;
  readonly parameters: Readonly<Record<string, ParameterOverride>>;
}

/**
 * Returns the input of a tool with a server's changes, as clients see it. The tool gets the arguments under
 * its own names.
 * @throws SchemaError if the schema is too large or nested too deep
 */
export function changeInput(input: CompiledSchema, changes: InputOverrides): CompiledSchema {
  const declared = collectDeclared(input.wire);
  const settled = resolveOverrides(input, changes, declared);
  const wire = remainingSchema(input.wire, settled) || input.wire;
  const listed = checkLazily(wire, 'input');
  const route = new ArgumentMapping(settled, visibleDefaults(changes));
  const limits = listAllowedValues(changes, declared, input.wire);
  return { form: input.form, wire, check: check({ input, listed, route, limits }) };
}

/** Resolves overrides into fixed, absent, defaulted and renamed arguments. */
export function resolveOverrides(
  input: CompiledSchema,
  { pinned, parameters }: InputOverrides,
  declared: DeclaredProperties,
): FixedArguments {
  const given: Record<string, unknown> = { ...pinned };
  const absent = new Set<string>();
  const defaulted = new Set<string>();
  const names = new Map<string, string>();
  const overrides = new Map<string, (schema: JsonSchema) => JsonSchema>();
  for (const [name, change] of Object.entries(parameters)) {
    if (change.hidden) {
      const value = valueOfHidden(name, change, { input, declared });
      if (value === undefined) absent.add(name);
      else given[name] = value;
      continue;
    }
    if (change.default !== undefined) defaulted.add(name);
    if (change.name !== undefined && change.name !== name) names.set(name, change.name);
    overrides.set(name, schemaOverride(change, choicesOfDeclared(name, declared, input.wire)?.depth ?? 0));
  }
  return { pinned: given, absent, defaulted, names, overrides };
}

/**
 * Returns the value that a tool gets for a hidden argument; undefined for none. If undefined, the tool still
 * applies its own default.
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

/** Returns the default that a schema declares for an argument. */
export function declaredDefault(name: string, { properties }: DeclaredProperties): unknown {
  return properties.get(name)?.find((schema) => schema.default !== undefined)?.default;
}

/** Returns the values that a schema lists for an argument, from the first subschema that lists any. */
export function choicesOfDeclared(name: string, { properties }: DeclaredProperties, root: JsonSchema) {
  for (const schema of properties.get(name) ?? []) {
    const choices = findChoices(schema, root);
    if (choices) return choices;
  }
  return undefined;
}

function schemaOverride(change: ParameterOverride, depth: number): (schema: JsonSchema) => JsonSchema {
  const { description, enum: values, default: standard } = change;
  return (schema) => ({
    ...(values ? restrictChoices(schema, values, depth) : schema),
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
  });
}

/** Defaults for visible arguments that a client omits. */
function visibleDefaults({ parameters }: InputOverrides): FixedValues {
  const entries = Object.entries(parameters).filter(([, change]) => !change.hidden);
  return Object.fromEntries(
    entries.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Translates arguments between the names that clients see and the tool's own names. */
class ArgumentMapping {
  readonly #settled: FixedArguments;
  readonly #fillIns: FixedValues;
  /** Client name → tool name. */
  readonly #own: ReadonlyMap<string, string>;

  constructor(settled: FixedArguments, fillIns: FixedValues) {
    this.#settled = settled;
    this.#fillIns = fillIns;
    this.#own = new Map([...settled.names].map(([own, called]) => [called, own]));
  }

  /** Returns the arguments that the tool gets. */
  inward(sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const known = Object.entries(sent).filter(([key]) => !this.#isGone(key));
    const own = Object.fromEntries(known.map(([key, value]) => [this.#own.get(key) ?? key, value]));
    const missing = Object.entries(this.#fillIns).filter(([name]) => !Object.hasOwn(own, name));
    // A clone: handlers may mutate their arguments.
    const given = structuredClone({ ...Object.fromEntries(missing), ...this.#settled.pinned });
    return Object.fromEntries([...Object.entries(own), ...Object.entries(given)]);
  }

  /** Returns the name that clients see. */
  called(name: string): string {
    return this.#settled.names.get(name) ?? name;
  }

  /** True if a client uses a tool name that it should not know. */
  hasOldName(sent: Readonly<Record<string, unknown>>): boolean {
    return [...this.#settled.names.keys()].some((own) => Object.hasOwn(sent, own) && !this.#own.has(own));
  }

  /** Renames an issue about the tool's arguments to the client's names. */
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

/** The remaining values of an argument. */
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
  /** Checks values by the schema that clients see. */
  readonly listed: (value: unknown) => Promise<CheckResult>;
  readonly route: ArgumentMapping;
  readonly limits: readonly AllowedValues[];
}

/** The tool's own check decides. The listed schema explains failures in the client's names. */
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
    // A schema library has its own messages.
    const told = input.form === 'standard' ? undefined : await listed(sent);
    return told && !told.ok ? told : { ok: false, issues: translated };
  };
}

/** Finds values that are not among the allowed ones. */
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
