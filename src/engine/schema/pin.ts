import { isDeepStrictEqual } from 'node:util';
import { compileSchema } from './compile.js';
import { type CompiledSchema, isRecord, noInput } from './compiled.js';
import { fits } from './fits.js';
import { fromPointer, type SchemaIssue } from './issues.js';
import type { JsonSchema } from './json-schema.js';

/** Values of arguments that are given beforehand. */
export type Pinned = Readonly<Record<string, unknown>>;

/** Why arguments cannot be fixed: the tool has none of that name, or none that can be so, or not these together. */
export type PinFault =
  | { readonly problem: 'unknown'; readonly name: string; readonly known: readonly string[] }
  | { readonly problem: 'unfit'; readonly name: string; readonly issues: readonly SchemaIssue[] }
  | { readonly problem: 'together' };

/** The schema of the arguments that are left when some are fixed: it takes what the whole one takes together with those. */
export function withoutPinned(whole: JsonSchema, pinned: Pinned): JsonSchema {
  const rest = new Pinning(whole, pinned).rest(whole);
  // Nothing fits it; that is a fault, and told as one.
  if (!isRecord(rest)) return whole;
  const left = { ...rest, properties: isRecord(rest.properties) ? rest.properties : {} };
  return withFormerTargets(left, whole);
}

/** What is wrong with fixing arguments. A tool without a schema takes whatever it is given. */
export async function findPinFaults(input: CompiledSchema, pinned: Pinned): Promise<readonly PinFault[]> {
  if (input === noInput) return [];
  const { wire } = input;
  const properties = isRecord(wire.properties) ? wire.properties : {};
  const known = Object.keys(properties);
  const unknown = isClosed(wire) ? Object.keys(pinned).filter((name) => !known.includes(name)) : [];
  if (unknown.length > 0) return unknown.map((name) => ({ problem: 'unknown', name, known }));
  const isPlain = Object.entries(pinned).every(([name, value]) => {
    const wanted = Object.hasOwn(properties, name) ? properties[name] : wire.additionalProperties;
    return fits(value, wanted) === true;
  });
  const isTaken = new Pinning(wire, pinned).rest(wire) !== false;
  if (isPlain && isTaken) return [];
  const unfit = await unfitArguments(wire, pinned);
  if (unfit.length > 0 || isTaken) return unfit;
  return [{ problem: 'together' }];
}

/** What a validator says of the fixed values, each for itself. A schema that cannot be used is told of the tool. */
async function unfitArguments(wire: JsonSchema, pinned: Pinned): Promise<readonly PinFault[]> {
  const alone = Object.fromEntries(Object.entries(wire).filter(([keyword]) => ofEach.includes(keyword)));
  const checked = await compileSchema(alone, { side: 'input', rawOnly: true })
    .then((schema) => schema.check(pinned))
    .catch(() => undefined);
  const issues = checked && !checked.ok ? checked.issues : [];
  return Object.keys(pinned).flatMap((name): readonly PinFault[] => {
    const own = issues.filter(({ path }) => fromPointer(path)[0] === name);
    return own.length > 0 ? [{ problem: 'unfit', name, issues: own }] : [];
  });
}

/** What a schema says of each property, and what that refers to. */
const ofEach = [
  ...['$schema', '$id', 'type', 'properties', 'patternProperties', 'additionalProperties'],
  ...['$defs', 'definitions'],
];

/** Keywords by which a schema may have properties that it does not list itself. */
const composing = [
  ...['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties'],
  ...['dependentSchemas', 'dependencies', 'unevaluatedProperties'],
];

/** Whether all arguments are in the list. An author who does not forbid others does not mean them either. */
function isClosed({ additionalProperties = false, ...rest }: JsonSchema): boolean {
  return additionalProperties === false && !composing.some((keyword) => Object.hasOwn(rest, keyword));
}

/** Works out what schemas ask for when some properties are there already. */
class Pinning {
  readonly #root: JsonSchema;
  readonly #pinned: Pinned;
  /** References on the way, for a schema may be part of itself. */
  readonly #following = new Set<string>();

  constructor(root: JsonSchema, pinned: Pinned) {
    this.#root = root;
    this.#pinned = pinned;
  }

  /** What a schema asks of the other properties: `false` if the fixed ones do not fit it. */
  rest(schema: unknown): unknown {
    if (!isRecord(schema)) return schema;
    if (!this.#takesPinned(schema)) return false;
    const { $ref, if: condition, then, else: otherwise, allOf, anyOf, oneOf, not, ...plain } = schema;
    const parts = [
      this.#withoutNames(plain),
      this.#judged({ if: condition, then, else: otherwise }),
      this.#followed($ref),
      this.#all(allOf),
      this.#any(anyOf),
      this.#one(oneOf),
      this.#none(not),
    ];
    if (parts.includes(false)) return false;
    const left = Object.assign({}, ...parts) as Record<string, unknown>;
    const joined = parts.flatMap((part) => (isRecord(part) && Array.isArray(part.allOf) ? part.allOf : []));
    return joined.length > 0 ? { ...left, allOf: joined } : left;
  }

  #takesPinned({ properties, patternProperties, additionalProperties, ...schema }: JsonSchema): boolean {
    const { propertyNames, maxProperties } = schema;
    if (typeof maxProperties === 'number' && maxProperties < this.#names.length) return false;
    return Object.entries(this.#pinned).every(([name, value]) => {
      const named = isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
      const matched = Object.entries(isRecord(patternProperties) ? patternProperties : {})
        .filter(([pattern]) => matches(pattern, name))
        .map(([, wanted]) => wanted);
      const others = named.length + matched.length === 0 ? [additionalProperties] : [];
      const isNameTaken = fits(name, propertyNames) !== false;
      return (
        isNameTaken && [...named, ...matched, ...others].every((wanted) => fits(value, wanted) !== false)
      );
    });
  }

  get #names(): readonly string[] {
    return Object.keys(this.#pinned);
  }

  readonly #stays = (name: unknown) => !Object.hasOwn(this.#pinned, String(name));

  /** Keywords that name properties, or count them, without the fixed ones. */
  #withoutNames(schema: JsonSchema): JsonSchema | false {
    const { properties, default: standard, examples, required, minProperties, maxProperties } = schema;
    const { dependentRequired, dependentSchemas, dependencies, ...others } = schema;
    const dependent = { dependentRequired, dependentSchemas, dependencies };
    const asked = Object.values(dependent).flatMap((held) =>
      isRecord(held) ? this.#names.flatMap((name) => (Object.hasOwn(held, name) ? [held[name]] : [])) : [],
    );
    const applied = asked.filter((one) => !Array.isArray(one)).map((one) => this.rest(one));
    if (applied.includes(false)) return false;
    const needed = [required, ...asked].flatMap((names) => (Array.isArray(names) ? names : []));
    const count = this.#names.length;
    const least = typeof minProperties === 'number' ? minProperties - count : 0;
    return present({
      ...others,
      ...(properties !== undefined && { properties: filled(this.#picked(properties)) }),
      ...(standard !== undefined && { default: this.#picked(standard) }),
      ...(Array.isArray(examples) && { examples: examples.map((one) => this.#picked(one)) }),
      ...(least > 0 && { minProperties: least }),
      ...(typeof maxProperties === 'number' && { maxProperties: maxProperties - count }),
      ...mapped(dependent, (held) => filled(this.#dependents(held))),
      required: filled([...new Set(needed.filter(this.#stays))]),
      allOf: filled(applied.filter((one) => !isTrivial(one))),
    });
  }

  #picked(held: unknown): unknown {
    if (!isRecord(held)) return held;
    return Object.fromEntries(Object.entries(held).filter(([name]) => this.#stays(name)));
  }

  #dependents(held: unknown): unknown {
    const others = this.#picked(held);
    if (!isRecord(others)) return others;
    return mapped(others, (asked) => (Array.isArray(asked) ? asked.filter(this.#stays) : this.rest(asked)));
  }

  #judged(given: {
    readonly if: unknown;
    readonly then: unknown;
    readonly else: unknown;
  }): JsonSchema | false {
    if (given.if === undefined) return present(given);
    const condition = this.rest(given.if);
    const isTold = condition === false || isTrivial(condition);
    if (!isTold) return present(mapped(given, (one) => this.rest(one)));
    const branch = this.rest(condition === false ? given.else : given.then);
    if (branch === false) return false;
    return branch === undefined || isTrivial(branch) ? {} : { allOf: [branch] };
  }

  /** A definition that others may use as well is copied where it comes to ask for less. */
  #followed(reference: unknown): JsonSchema | false {
    const kept = present({ $ref: reference });
    if (typeof reference !== 'string' || this.#following.has(reference)) return kept;
    const target = targetOf(reference, this.#root);
    if (target === undefined) return kept;
    this.#following.add(reference);
    const rest = this.rest(target);
    this.#following.delete(reference);
    if (isDeepStrictEqual(rest, target)) return kept;
    if (rest === false) return false;
    return isTrivial(rest) ? {} : { allOf: [rest] };
  }

  #all(list: unknown): JsonSchema | false {
    if (!Array.isArray(list)) return present({ allOf: list });
    const rests = list.map((one) => this.rest(one));
    if (rests.includes(false)) return false;
    return present({ allOf: filled(rests.filter((one) => !isTrivial(one))) });
  }

  #any(list: unknown): JsonSchema | false {
    if (!Array.isArray(list)) return present({ anyOf: list });
    const rests = list.map((one) => this.rest(one)).filter((one) => one !== false);
    if (rests.length === 0) return false;
    return rests.some(isTrivial) ? {} : { anyOf: rests };
  }

  #one(list: unknown): JsonSchema | false {
    if (!Array.isArray(list)) return present({ oneOf: list });
    const rests = list.map((one) => this.rest(one)).filter((one) => one !== false);
    if (rests.length === 0) return false;
    return rests.length === 1 && isTrivial(rests[0]) ? {} : { oneOf: rests };
  }

  #none(schema: unknown): JsonSchema | false {
    if (schema === undefined) return {};
    const rest = this.rest(schema);
    if (isTrivial(rest)) return false;
    return rest === false ? {} : { not: rest };
  }
}

/** Keywords that hold something. */
function present(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, held]) => held !== undefined));
}

/** Undefined in place of what holds nothing. */
function filled(held: unknown): unknown {
  return typeof held === 'object' && held !== null && Object.keys(held).length === 0 ? undefined : held;
}

function mapped(held: JsonSchema, change: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(held).map(([key, value]) => [key, change(value)]));
}

/** Arguments are an object whatever a part of their schema says. */
function isTrivial(schema: unknown): boolean {
  if (!isRecord(schema)) return schema === true;
  return Object.entries(schema).every(
    ([keyword, value]) =>
      ['title', 'description', '$comment'].includes(keyword) || (keyword === 'type' && value === 'object'),
  );
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return false;
  }
}

/** Where a reference within a schema leads; undefined for those that go by other means than a path. */
function targetOf(reference: string, root: unknown): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const key of fromPointer(decodeURIComponent(reference.slice(1)))) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** References mean what they meant before: what they lead to is kept where it has changed. */
function withFormerTargets(left: JsonSchema, whole: JsonSchema): JsonSchema {
  const defs = isRecord(left.$defs) ? left.$defs : {};
  let key = 'whole';
  while (Object.hasOwn(defs, key)) key += '_';
  let isNeeded = false;
  const redirected = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(redirected);
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([keyword, held]) => {
      if (keyword !== '$ref' || typeof held !== 'string') return [keyword, redirected(held)];
      const before = targetOf(held, whole);
      if (before === undefined || isDeepStrictEqual(before, targetOf(held, left))) return [keyword, held];
      isNeeded = true;
      return [keyword, `#/$defs/${key}${held.slice(1)}`];
    });
    return Object.fromEntries(entries);
  };
  const schema = redirected(left) as JsonSchema;
  if (!isNeeded) return left;
  const { $schema: _, $id: __, $defs: ___, definitions: ____, ...former } = whole;
  return { ...schema, $defs: { ...(schema.$defs as JsonSchema), [key]: redirected(former) } };
}
