import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../base/value-checks.js';
import { fitsSchema } from './fits-schema.js';
import type { JsonSchema } from './json-schema.js';
import { resolveLocalReference } from './local-reference.js';
import { maxFollowedDepth } from './reference-depth.js';
import { SchemaError } from './schema-error.js';
import { fromPointer } from './schema-issue.js';

/** Argument values by name. */
export type FixedValues = Readonly<Record<string, unknown>>;

/** Arguments that are settled before a client sends any. Keys are the tool's own names. */
export interface FixedArguments {
  /** Arguments with fixed values. */
  readonly pinned: FixedValues;
  /** Arguments that the tool never gets. */
  readonly absent: ReadonlySet<string>;
  /** Arguments that the tool gets even if the client omits them. */
  readonly defaulted: ReadonlySet<string>;
  /** Client names of renamed arguments. */
  readonly names: ReadonlyMap<string, string>;
  /** Changes to the argument schemas that clients see. */
  readonly overrides: ReadonlyMap<string, (schema: JsonSchema) => JsonSchema>;
}

/** Fixes values and changes nothing else. */
export function fixOnlyValues(pinned: FixedValues): FixedArguments {
  return { pinned, absent: new Set(), defaulted: new Set(), names: new Map(), overrides: new Map() };
}

/** Target of a reference, and the rest of its schema. */
interface FollowedReference {
  /** Placeholder for `rest`. */
  readonly mark: { readonly $ref: string };
  state: 'following' | 'same' | 'changed';
  rest: unknown;
}

/** Greatest depth at which definitions with a single use are inlined. */
const maxInlinedDefinitions = 8;

/** Computes the schema of the arguments that clients still send after some arguments are settled. */
export class PartialSchema {
  readonly #root: JsonSchema;
  readonly #settled: FixedArguments;
  readonly #pinned: FixedValues;
  /** Reference targets, each computed once. */
  readonly #followed = new Map<object, FollowedReference>();
  #depth = 0;

  constructor(root: JsonSchema, settled: FixedArguments) {
    this.#root = root;
    this.#settled = settled;
    this.#pinned = settled.pinned;
  }

  /**
   * Returns the remaining schema; `false` if the settled arguments do not fit.
   * @throws SchemaError if the schema is nested too deep
   */
  rest(): unknown {
    const rest = this.#rest(this.#root);
    return isRecord(rest) ? this.#resolvePlaceholders(rest) : rest;
  }

  /** Returns the rest of a schema, with placeholders for changed reference targets. */
  #rest(schema: unknown): unknown {
    if (!isRecord(schema)) return schema;
    if (this.#depth > maxFollowedDepth) throw new SchemaError('Its references lead on too deep.');
    this.#depth++;
    try {
      return this.#restOf(schema);
    } finally {
      this.#depth--;
    }
  }

  #restOf(schema: JsonSchema): unknown {
    if (!this.#takesPinned(schema)) return false;
    const { $ref, if: condition, then, else: otherwise, allOf, anyOf, oneOf, not, ...plain } = schema;
    const parts = [
      this.#withoutNames(plain, schema === this.#root),
      this.#conditional({ if: condition, then, else: otherwise }),
      this.#follow($ref),
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
      const isNameTaken = fitsSchema(name, propertyNames) !== false;
      return (
        isNameTaken &&
        [...named, ...matched, ...others].every((wanted) => fitsSchema(value, wanted) !== false)
      );
    });
  }

  get #names(): readonly string[] {
    return Object.keys(this.#pinned);
  }

  readonly #stays = (name: string) => !Object.hasOwn(this.#pinned, name) && !this.#settled.absent.has(name);

  /** True if the client must send a required argument. */
  readonly #isRequired = (name: unknown) =>
    !Object.hasOwn(this.#pinned, String(name)) && !this.#settled.defaulted.has(String(name));

  readonly #isAbsent = (name: unknown) => this.#settled.absent.has(String(name));

  readonly #newName = (name: unknown) => this.#settled.names.get(String(name)) ?? String(name);

  /** Rewrites the keywords that name or count properties. */
  #withoutNames(schema: JsonSchema, isRoot: boolean): JsonSchema | false {
    const { properties, default: standard, examples, required, minProperties, maxProperties } = schema;
    const { dependentRequired, dependentSchemas, dependencies, ...others } = schema;
    const dependent = { dependentRequired, dependentSchemas, dependencies };
    const there = [...this.#names, ...this.#settled.defaulted];
    const asked = Object.values(dependent).flatMap((held) =>
      isRecord(held) ? there.flatMap((name) => (Object.hasOwn(held, name) ? [held[name]] : [])) : [],
    );
    const applied = asked.filter((one) => !Array.isArray(one)).map((one) => this.#rest(one));
    if (applied.includes(false)) return false;
    const needed = [required, ...asked].flatMap((names) => (Array.isArray(names) ? names : []));
    if (needed.some(this.#isAbsent)) return false;
    const count = this.#names.length;
    const least = typeof minProperties === 'number' ? minProperties - count : 0;
    const forbidden = Object.values(dependent).flatMap((held) => this.#withAbsent(held));
    return present({
      ...others,
      properties: emptyToUndefined(this.#properties(properties, { forbidden, isRoot })),
      ...(standard !== undefined && { default: this.#renamedKeys(standard) }),
      ...(Array.isArray(examples) && { examples: examples.map((one) => this.#renamedKeys(one)) }),
      ...(least > 0 && { minProperties: least }),
      ...(typeof maxProperties === 'number' && { maxProperties: maxProperties - count }),
      ...mapValues(dependent, (held) => emptyToUndefined(this.#dependents(held))),
      required: emptyToUndefined([...new Set(needed.filter(this.#isRequired).map(this.#newName))]),
      allOf: emptyToUndefined(applied.filter((one) => !isTrivial(one))),
    });
  }

  /** Names that clients must not send because they require an absent argument. */
  #withAbsent(dependents: unknown): readonly string[] {
    if (!isRecord(dependents)) return [];
    const entries = Object.entries(dependents);
    return entries.flatMap(([name, asked]) =>
      this.#stays(name) && Array.isArray(asked) && asked.some(this.#isAbsent) ? [name] : [],
    );
  }

  #properties(
    held: unknown,
    { forbidden, isRoot }: { readonly forbidden: readonly string[]; readonly isRoot: boolean },
  ): unknown {
    const entries = isRecord(held) ? Object.entries(held) : [];
    const left = entries.filter(([name]) => this.#stays(name));
    const told = left.map(
      ([name, schema]) => [this.#newName(name), this.#withOverride(name, schema, isRoot)] as const,
    );
    const none = forbidden.map((name) => [this.#newName(name), false] as const);
    return isRecord(held) || none.length > 0 ? Object.fromEntries([...told, ...none]) : held;
  }

  /**
   * Applies the schema change to a property: at the root if the root lists the property, else at each
   * occurrence.
   */
  #withOverride(name: string, schema: unknown, isRoot: boolean): unknown {
    const tell = this.#settled.overrides.get(name);
    const { properties } = this.#root;
    const isElsewhere = !isRoot && isRecord(properties) && Object.hasOwn(properties, name);
    if (!tell || isElsewhere || schema === false) return schema;
    return tell(isRecord(schema) ? schema : {});
  }

  #renamedKeys(held: unknown): unknown {
    if (!isRecord(held)) return held;
    const left = Object.entries(held).filter(([name]) => this.#stays(name));
    return Object.fromEntries(left.map(([name, value]) => [this.#newName(name), value]));
  }

  #dependents(held: unknown): unknown {
    const others = this.#renamedKeys(held);
    if (!isRecord(others)) return others;
    return mapValues(others, (asked) =>
      Array.isArray(asked)
        ? asked.filter((name) => this.#isRequired(name) && !this.#isAbsent(name)).map(this.#newName)
        : this.#rest(asked),
    );
  }

  #conditional(given: {
    readonly if: unknown;
    readonly then: unknown;
    readonly else: unknown;
  }): JsonSchema | false {
    if (given.if === undefined) return present(given);
    const condition = this.#rest(given.if);
    const isTold = condition === false || isTrivial(condition);
    const { if: _, ...branches } = given;
    if (!isTold) return present({ if: condition, ...mapValues(branches, (one) => this.#rest(one)) });
    const branch = this.#rest(condition === false ? given.else : given.then);
    if (branch === false) return false;
    return branch === undefined || isTrivial(branch) ? {} : { allOf: [branch] };
  }

  /** Keeps an unchanged definition, since others may use it. Adds a second definition if the rest differs. */
  #follow(reference: unknown): JsonSchema | false {
    const kept = present({ $ref: reference });
    const target = typeof reference === 'string' ? resolveLocalReference(reference, this.#root) : undefined;
    if (typeof reference !== 'string' || !isRecord(target) || target === this.#root) return kept;
    let followed = this.#followed.get(target);
    if (!followed) {
      followed = { mark: { $ref: this.#nameFor(reference) }, state: 'following', rest: undefined };
      this.#followed.set(target, followed);
      followed.rest = this.#rest(target);
      followed.state = isDeepStrictEqual(followed.rest, target) ? 'same' : 'changed';
    }
    const { mark, rest, state } = followed;
    // A recursive schema gets a placeholder until its rest is known.
    if (state === 'following') return { allOf: [mark] };
    if (state === 'same') return kept;
    if (rest === false) return false;
    return isTrivial(rest) ? {} : { allOf: [mark] };
  }

  /** Reference to the definition that holds the rest of a target, if it is used more than once. */
  #nameFor(reference: string): string {
    const [last = ''] = fromPointer(decodeURIComponent(reference.slice(1))).slice(-1);
    const used = new Set([...this.#followed.values()].map(({ mark }) => mark.$ref));
    const { $defs } = this.#root;
    let name = `${last.replace(/[^\w.-]/g, '_')}_left`;
    while ((isRecord($defs) && Object.hasOwn($defs, name)) || used.has(`#/$defs/${name}`)) name += '_';
    return `#/$defs/${name}`;
  }

  /** Resolves placeholders: inlines a rest that is used once, and adds the others to `$defs`. */
  #resolvePlaceholders(rest: JsonSchema): JsonSchema {
    const marked = new Map<JsonSchema, FollowedReference>(
      [...this.#followed.values()].map((one) => [one.mark, one]),
    );
    const uses = countUses(rest, marked);
    const defs = new Map<string, unknown>();
    const waiting: FollowedReference[] = [];
    const written = (value: unknown, within: number): unknown => {
      if (Array.isArray(value)) return value.map((one) => written(one, within));
      if (!isRecord(value)) return value;
      const followed = marked.get(value);
      if (!followed) return mapValues(value, (one) => written(one, within));
      if (uses.get(followed) === 1 && within < maxInlinedDefinitions)
        return written(followed.rest, within + 1);
      waiting.push(followed);
      return value;
    };
    const main = written(rest, 0) as JsonSchema;
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const name = fromPointer(next.mark.$ref).at(-1)!;
      if (!defs.has(name)) defs.set(name, undefined).set(name, written(next.rest, 0));
    }
    if (defs.size === 0) return main;
    return { ...main, $defs: { ...(isRecord(main.$defs) && main.$defs), ...Object.fromEntries(defs) } };
  }

  #all(list: unknown): JsonSchema | false {
    if (!Array.isArray(list)) return present({ allOf: list });
    const rests = list.map((one) => this.#rest(one));
    if (rests.includes(false)) return false;
    return present({ allOf: emptyToUndefined(rests.filter((one) => !isTrivial(one))) });
  }

  #any(list: unknown): JsonSchema | false {
    if (!Array.isArray(list)) return present({ anyOf: list });
    const rests = list.map((one) => this.#rest(one)).filter((one) => one !== false);
    if (rests.length === 0) return false;
    return rests.some(isTrivial) ? {} : { anyOf: rests };
  }

  #one(list: unknown): JsonSchema | false {
    if (!Array.isArray(list)) return present({ oneOf: list });
    const rests = list.map((one) => this.#rest(one)).filter((one) => one !== false);
    if (rests.length === 0) return false;
    return rests.length === 1 && isTrivial(rests[0]) ? {} : { oneOf: rests };
  }

  #none(schema: unknown): JsonSchema | false {
    if (schema === undefined) return {};
    const rest = this.#rest(schema);
    if (isTrivial(rest)) return false;
    return rest === false ? {} : { not: rest };
  }
}

/** Drops undefined keywords. */
function present(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, held]) => held !== undefined));
}

/** Returns undefined for an empty object or array. */
function emptyToUndefined(held: unknown): unknown {
  return typeof held === 'object' && held !== null && Object.keys(held).length === 0 ? undefined : held;
}

function mapValues(held: JsonSchema, change: (value: unknown) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(held).map(([key, value]) => [key, change(value)]));
}

/**
 * True if a schema accepts all arguments. `type: object` restricts nothing because arguments are always an
 * object.
 */
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

/** Counts the uses of each placeholder, in the schema and in the rests that placeholders represent. */
function countUses(
  schema: JsonSchema,
  marked: ReadonlyMap<JsonSchema, FollowedReference>,
): ReadonlyMap<FollowedReference, number> {
  const uses = new Map<FollowedReference, number>();
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const followed = marked.get(value as JsonSchema);
    if (!followed) {
      for (const held of Object.values(value)) waiting.push(held);
      continue;
    }
    const before = uses.get(followed) ?? 0;
    uses.set(followed, before + 1);
    if (before === 0) waiting.push(followed.rest);
  }
  return uses;
}
