import { isDeepStrictEqual } from 'node:util';
import type { CompiledSchema } from './compiled-schema.js';
import { collectDeclared, type DeclaredProperties } from './declared-properties.js';
import { findPinFaults, remainingSchema } from './fixed-arguments.js';
import {
  choicesOfDeclared,
  declaredDefault,
  type InputOverrides,
  type ParameterOverride,
  resolveOverrides,
  valueOfHidden,
} from './parameter-overrides.js';
import { SchemaError } from './schema-error.js';
import type { SchemaIssue } from './schema-issue.js';

/** Reason that a server cannot override an argument. */
export type OverrideFault =
  /** The tool has no argument of this name. */
  | { readonly problem: 'unknown'; readonly name: string; readonly known: readonly string[] }
  /** Its value is fixed, so an override has no effect. */
  | { readonly problem: 'fixed'; readonly name: string }
  /** It is hidden, so its other overrides have no effect. */
  | { readonly problem: 'unseen'; readonly name: string; readonly key: 'name' | 'description' | 'enum' }
  /** It is required but hidden, and has no default. */
  | { readonly problem: 'needed'; readonly name: string }
  /** The new name is not a valid name. */
  | { readonly problem: 'unusable-name'; readonly name: string; readonly called: string }
  | { readonly problem: 'taken-name'; readonly name: string; readonly called: string; readonly by: string }
  /** The schema uses names in a way that cannot be rewritten. */
  | { readonly problem: 'bound-name'; readonly name: string; readonly reason: string }
  /** Its schema lists no values. */
  | { readonly problem: 'no-choice'; readonly name: string }
  | {
      readonly problem: 'no-such-choice';
      readonly name: string;
      readonly index: number;
      readonly value: unknown;
      readonly known: readonly unknown[];
    }
  /** The remaining values do not include its default. */
  | {
      readonly problem: 'lost-default';
      readonly name: string;
      readonly value: unknown;
      readonly isOwn: boolean;
    }
  /** The default is not a valid value. */
  | { readonly problem: 'unfit-default'; readonly name: string; readonly issues: readonly SchemaIssue[] }
  /** No arguments fit the schema any more. */
  | { readonly problem: 'together' }
  | { readonly problem: 'excessive'; readonly reason: string };

/** Finds the faults of argument overrides. {@link findPinFaults} finds the faults of fixed values. */
export async function findChangeFaults(
  input: CompiledSchema,
  changes: InputOverrides,
): Promise<readonly OverrideFault[]> {
  const declared = collectDeclared(input.wire);
  const faults = Object.entries(changes.parameters).flatMap(([name, change]) => [
    ...faultsOfOne(name, change, { input, changes, declared }),
  ]);
  if (faults.length > 0) return faults;
  const unfit = await unfitDefaults(input, changes, declared);
  return unfit.length > 0 ? unfit : faultsOfAll(input, changes, declared);
}

interface OverrideCheckInput {
  readonly input: CompiledSchema;
  readonly changes: InputOverrides;
  readonly declared: DeclaredProperties;
}

function* faultsOfOne(
  name: string,
  change: ParameterOverride,
  { input, changes, declared }: OverrideCheckInput,
): Generator<OverrideFault> {
  if (!declared.properties.has(name)) {
    yield { problem: 'unknown', name, known: [...declared.properties.keys()] };
    return;
  }
  if (Object.hasOwn(changes.pinned, name)) {
    yield { problem: 'fixed', name };
    return;
  }
  if (change.hidden) {
    for (const key of ['name', 'description', 'enum'] as const) {
      if (change[key] !== undefined) yield { problem: 'unseen', name, key };
    }
    const isFilled = valueOfHidden(name, change, { input, declared }) !== undefined;
    if (!isFilled && declared.required.has(name)) yield { problem: 'needed', name };
    return;
  }
  if (change.name !== undefined && change.name !== name)
    yield* nameFaults(name, change.name, changes, declared);
  if (change.enum) yield* choiceFaults(name, { ...change, enum: change.enum }, { input, changes, declared });
}

function* nameFaults(
  name: string,
  called: string,
  { pinned, parameters }: InputOverrides,
  { properties, patterns, limitsNames, reference }: DeclaredProperties,
): Generator<OverrideFault> {
  if (called === '' || called === '__proto__') {
    yield { problem: 'unusable-name', name, called };
    return;
  }
  const isSeen = (one: string) => !Object.hasOwn(pinned, one) && !findOverride(parameters, one)?.hidden;
  const by = [...properties.keys()].find(
    (other) => other !== name && isSeen(other) && (findOverride(parameters, other)?.name ?? other) === called,
  );
  if (by !== undefined) yield { problem: 'taken-name', name, called, by };
  const pattern = patterns.find((one) => meets(one, name) || meets(one, called));
  if (pattern !== undefined) {
    yield { problem: 'bound-name', name, reason: `it has "patternProperties" for "${pattern}"` };
  } else if (limitsNames) {
    yield { problem: 'bound-name', name, reason: 'it has "propertyNames"' };
  } else if (reference !== undefined) {
    yield { problem: 'bound-name', name, reason: `it refers to "${reference}", which is no path in it` };
  }
}

function findOverride(parameters: InputOverrides['parameters'], name: string): ParameterOverride | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

/** True if a name matches, or the pattern is invalid. */
function meets(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return true;
  }
}

function* choiceFaults(
  name: string,
  change: ParameterOverride & { readonly enum: readonly unknown[] },
  { input, declared }: OverrideCheckInput,
): Generator<OverrideFault> {
  const choices = choicesOfDeclared(name, declared, input.wire);
  if (!choices) {
    yield { problem: 'no-choice', name };
    return;
  }
  const { values: known, depth } = choices;
  const isAmong = (value: unknown, values: readonly unknown[]) =>
    values.some((one) => isDeepStrictEqual(one, value));
  for (const [index, value] of change.enum.entries()) {
    if (!isAmong(value, known)) yield { problem: 'no-such-choice', name, index, value, known };
  }
  const isOwn = change.default === undefined;
  const value = isOwn ? declaredDefault(name, declared) : change.default;
  if (value === undefined) return;
  const held = depth > 0 && Array.isArray(value) ? value.flat(depth - 1) : [value];
  if (held.every((one) => isAmong(one, change.enum))) return;
  yield { problem: 'lost-default', name, value, isOwn };
}

/** Finds defaults of visible arguments and values of hidden ones that the tool would reject. */
async function unfitDefaults(
  input: CompiledSchema,
  { parameters }: InputOverrides,
  declared: DeclaredProperties,
): Promise<readonly OverrideFault[]> {
  const entries = Object.entries(parameters).flatMap(([name, change]) => {
    const value = change.hidden ? valueOfHidden(name, change, { input, declared }) : change.default;
    return value === undefined ? [] : [[name, value] as const];
  });
  if (entries.length === 0) return [];
  const found = await findPinFaults(input, Object.fromEntries(entries));
  return found.flatMap((fault) =>
    fault.problem === 'unfit'
      ? [{ problem: 'unfit-default' as const, name: fault.name, issues: fault.issues }]
      : [],
  );
}

function faultsOfAll(
  input: CompiledSchema,
  changes: InputOverrides,
  declared: DeclaredProperties,
): readonly OverrideFault[] {
  try {
    const settled = resolveOverrides(input, changes, declared);
    return remainingSchema(input.wire, settled) === false ? [{ problem: 'together' }] : [];
  } catch (error) {
    if (error instanceof SchemaError) return [{ problem: 'excessive', reason: error.message }];
    throw error;
  }
}
