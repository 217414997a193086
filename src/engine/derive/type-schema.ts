import { toPointer } from '../schema/schema-issue.js';
import type { CastName } from '../schema/value-caster.js';
import { applyTags, matchesDraft, propertyTags, type SchemaDraft, suggestTag } from './keywords.js';
import type {
  DefaultValue,
  DocFacts,
  Literal,
  PropertyFacts,
  SourcePosition,
  TypeFacts,
} from './type-source.js';

/** A schema and its casts, each with a pointer relative to the schema. */
export interface MappedType {
  readonly schema: SchemaDraft;
  readonly casts: readonly (readonly [pointer: string, CastName])[];
}

/** A type without a JSON form, and its location. */
export interface TypeFault {
  /** Path from the parameter inwards, as in `place.at[].when`. */
  readonly path: string;
  readonly message: string;
  readonly position: SourcePosition;
  /** Default: error. */
  readonly severity?: 'error' | 'warning';
}

/** Location of a type, while it is mapped. */
interface TypeContext {
  readonly path: string;
  readonly position: SourcePosition;
  readonly depth: number;
  /** True if undefined becomes null in JSON here, as in lists; elsewhere it is omitted. */
  readonly hasNulls: boolean;
}

/** Deeper types are rejected: a type that grows with each step would never end. */
const maxTypeDepth = 50;

/** Limit of parts: a model could not fill in a larger interface. */
const maxParts = 5000;

/** Limit of faults: a type with more is not meant as data. */
const maxTypeFaults = 5;

/** Stops the mapping of one part. */
class MappingStoppedError extends Error {}

/** A part of a whole: a parameter, or the result. */
export interface TypePart {
  /** Empty for the arguments object, so that paths begin with its properties. */
  readonly name: string;
  readonly type: TypeFacts;
  readonly doc: DocFacts;
  readonly position: SourcePosition;
}

/**
 * Maps types to JSON Schema, for all parts of one side of one tool: they share `$defs`. A type that cannot be
 * mapped goes to `report` and becomes `{}`.
 */
export class TypeMapper {
  readonly #defs = new Map<unknown, { readonly name: string; isUsed: boolean }>();
  readonly #finished = new Map<string, MappedType>();
  #parts = 0;
  #faults = 0;

  constructor(
    readonly side: 'input' | 'output',
    readonly report: (fault: TypeFault) => void,
  ) {}

  /** The schema of a part, for use in the whole. */
  part({ name, type, doc, position }: TypePart): MappedType {
    const place = { path: name, position, depth: 0, hasNulls: true };
    this.#faults = 0;
    try {
      return this.#documented(this.#map(type, place), doc, place);
    } catch (error) {
      if (!(error instanceof MappingStoppedError)) throw error;
      return { schema: {}, casts: [] };
    }
  }

  /** @throws MappingStoppedError after `maxTypeFaults` faults: further ones are not helpful */
  #addFault(fault: TypeFault): void {
    this.report(fault);
    if (++this.#faults === maxTypeFaults) throw new MappingStoppedError();
  }

  /** The recursive types, by the names that the parts refer to. */
  get definitions(): ReadonlyMap<string, MappedType> {
    return this.#finished;
  }

  /** Adds the text and the tags of a doc comment to the schema. */
  #documented(mapped: MappedType, { text, tags }: DocFacts, { path }: TypeContext): MappedType {
    const schema = { ...mapped.schema, ...(text !== '' && { description: text }) };
    for (const { tag, reason, position } of applyTags(schema, tags)) {
      this.#addFault({ path, message: `has "@${tag}", which ${reason}`, position });
    }
    for (const { name, position } of tags) {
      const meant = suggestTag(name, propertyTags);
      if (meant === undefined) continue;
      const message = `has the unknown tag "@${name}". Did you mean "@${meant}"?`;
      this.report({ path, message, position, severity: 'warning' });
    }
    return { ...mapped, schema };
  }

  #map(type: TypeFacts, place: TypeContext): MappedType {
    if (++this.#parts > maxParts) return this.#refuse(place, `has a type of more than ${maxParts} parts`);
    if (place.depth > maxTypeDepth) {
      return this.#refuse(place, `has a type nested deeper than ${maxTypeDepth} levels, or infinitely`);
    }
    const map = this.#mappings[type.kind] as (type: TypeFacts, place: TypeContext) => MappedType;
    return map(type, { ...place, depth: place.depth + 1 });
  }

  /** Stops the mapping: the same fault would repeat too often. */
  #refuse({ path, position }: TypeContext, message: string): never {
    this.report({ path, message, position });
    throw new MappingStoppedError();
  }

  /** A row for every kind of type. */
  readonly #mappings = {
    any: () => withoutCasts({}),
    string: () => withoutCasts({ type: 'string' }),
    number: () => withoutCasts({ type: 'number' }),
    integer: () => withoutCasts({ type: 'integer' }),
    boolean: () => withoutCasts({ type: 'boolean' }),
    null: () => withoutCasts({ type: 'null' }),
    undefined: (_, place) => this.#unmappable('undefined', 'JSON has no such value', place),
    never: (_, place) => this.#unmappable('never', 'there is no such value', place),
    literal: ({ value }) => withoutCasts({ type: typeof value, const: value }),
    array: (type, place) => this.#array(type, place),
    tuple: (type, place) => this.#tuple(type, place),
    object: (type, place) => this.#object(type, place),
    union: (type, place) => this.#union(type.members, place),
    cast: ({ to }) => ({ schema: { ...castSchemas[to] }, casts: [['', to]] }),
    finished: (_, place) =>
      this.#unmappable('ToolResult', 'only what a function gives can be a result', place),
    named: (type, place) => this.#named(type, place),
    unmappable: ({ text, reason }, place) => this.#unmappable(text, reason, place),
  } satisfies {
    [K in TypeFacts['kind']]: (type: Extract<TypeFacts, { kind: K }>, place: TypeContext) => MappedType;
  };

  #unmappable(text: string, reason: string, { path, position }: TypeContext): MappedType {
    this.#addFault({ path, message: `has type ${text}, which has no JSON form: ${reason}`, position });
    return withoutCasts({});
  }

  #array({ items, isSet }: Extract<TypeFacts, { kind: 'array' }>, place: TypeContext): MappedType {
    const inner = this.#map(items, { ...place, path: `${place.path}[]`, hasNulls: true });
    return {
      schema: { type: 'array', items: inner.schema, ...(isSet && { uniqueItems: true }) },
      casts: [...below('/items', inner), ...(isSet ? [['', 'Set'] as const] : [])],
    };
  }

  #tuple({ items, rest }: Extract<TypeFacts, { kind: 'tuple' }>, place: TypeContext): MappedType {
    const mapped = items.map(({ type }, index) =>
      this.#map(type, { ...place, path: `${place.path}[${index}]`, hasNulls: true }),
    );
    const others = rest && this.#map(rest, { ...place, path: `${place.path}[]`, hasNulls: true });
    return {
      schema: {
        type: 'array',
        ...(mapped.length > 0 && { prefixItems: mapped.map(({ schema }) => schema) }),
        ...(others && { items: others.schema }),
        minItems: items.filter(({ isOptional }) => !isOptional).length,
        ...(!others && { maxItems: items.length }),
      },
      casts: [
        ...mapped.flatMap((one, index) => below(`/prefixItems/${index}`, one)),
        ...(others ? below('/items', others) : []),
      ],
    };
  }

  #object({ properties, others }: Extract<TypeFacts, { kind: 'object' }>, place: TypeContext): MappedType {
    // An optional property without a value only discriminates a union.
    const there = properties.filter(({ type, isOptional }) => !(isOptional && hasNoValue(type)));
    const mapped = there.map((property) => [property.name, this.#property(property, place)] as const);
    const further = others && this.#map(others, { ...place, path: `${place.path}[key]`, hasNulls: false });
    return {
      schema: {
        ...objectSchema(
          mapped.map(([name, { schema }]) => [name, schema]),
          there.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
        ),
        ...(further && { additionalProperties: further.schema }),
      },
      casts: [
        ...mapped.flatMap(([name, one]) => below(`/properties${toPointer([name])}`, one)),
        ...(further ? below('/additionalProperties', further) : []),
      ],
    };
  }

  #property(
    { name, type, doc, position: own }: PropertyFacts,
    { path, position: above, depth }: TypeContext,
  ): MappedType {
    const position = own ?? above;
    const place = { path: path === '' ? name : `${path}.${name}`, position, depth, hasNulls: false };
    return this.#documented(this.#map(type, place), doc, place);
  }

  #union(given: readonly TypeFacts[], place: TypeContext): MappedType {
    const members = flat(given);
    const hasNothing = members.some(({ kind }) => kind === 'undefined');
    // Inputs need no null: they can omit undefined. A function may return it, and JSON then has null.
    const becomesNull = hasNothing && place.hasNulls && this.side === 'output';
    const isNullable = becomesNull || members.some(({ kind }) => kind === 'null');
    const rest = members.filter(({ kind }) => !['undefined', 'null', 'never'].includes(kind));
    if (rest.some(({ kind }) => kind === 'any')) return withoutCasts({});
    const mapped = [
      ...literalChoice(rest.flatMap((one) => (one.kind === 'literal' ? [one.value] : []))),
      ...rest.filter(({ kind }) => kind !== 'literal').map((one) => this.#map(one, place)),
    ];
    this.#requireOneCast(mapped, place);
    return mapUnion([
      ...removeDuplicateTypes(mapped),
      ...(isNullable ? [withoutCasts({ type: 'null' })] : []),
    ]);
  }

  /** A string cannot show which of two casts is meant, such as Date or URL. */
  #requireOneCast(members: readonly MappedType[], place: TypeContext): void {
    const casts = new Set(
      members.flatMap(({ casts }) => casts.filter(([at]) => at === '').map(([, to]) => to)),
    );
    casts.delete('Set');
    if (casts.size > 1) {
      this.#unmappable([...casts].join(' | '), 'a string could be meant as either', place);
    }
  }

  #named(type: Extract<TypeFacts, { kind: 'named' }>, place: TypeContext): MappedType {
    const known = this.#defs.get(type.identity);
    if (known) {
      known.isUsed = true;
      return withoutCasts({ $ref: `#/$defs/${known.name}` });
    }
    const definition = { name: this.#nameFor(type.name), isUsed: false };
    this.#defs.set(type.identity, definition);
    const mapped = this.#documented(this.#map(type.look(), place), type.doc, place);
    if (!definition.isUsed) {
      this.#defs.delete(type.identity);
      return mapped;
    }
    this.#finished.set(definition.name, mapped);
    return withoutCasts({ $ref: `#/$defs/${definition.name}` });
  }

  #nameFor(wanted: string): string {
    const stem = wanted.replace(/\W/g, '_') || 'Type';
    const taken = new Set([...this.#defs.values()].map(({ name }) => name));
    let name = stem;
    for (let count = 2; taken.has(name) || this.#finished.has(name); count++) name = `${stem}${count}`;
    return name;
  }
}

const castSchemas = {
  Date: { type: 'string', format: 'date-time' },
  URL: { type: 'string', format: 'uri' },
  Uint8Array: { type: 'string', contentEncoding: 'base64' },
  Buffer: { type: 'string', contentEncoding: 'base64' },
} as const satisfies Record<Exclude<CastName, 'Set'>, SchemaDraft>;

/** An object schema. `required` is omitted if it is empty. */
export function objectSchema(
  properties: readonly (readonly [name: string, schema: SchemaDraft])[],
  required: readonly string[],
): SchemaDraft {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: [...required] }),
  };
}

/** Adds a default as `default` of the schema. A default of another type is reported and left out. */
export function withFallback(
  mapped: MappedType,
  fallback: DefaultValue | undefined,
  tell: (message: string) => void,
): MappedType {
  if (fallback?.value === undefined || 'default' in mapped.schema) return mapped;
  if (!matchesDraft(fallback.value, mapped.schema)) {
    tell(
      `has the default ${JSON.stringify(fallback.value)}, which is not of its type; clients do not see it`,
    );
    return mapped;
  }
  return { ...mapped, schema: { ...mapped.schema, default: fallback.value } };
}

/** The casts of a part, with pointers relative to the whole. */
export function below(step: string, { casts }: MappedType): MappedType['casts'] {
  return casts.map(([at, to]) => [`${step}${at}`, to]);
}

/** The members of a union, with nested unions flattened. */
export function flat(members: readonly TypeFacts[]): readonly TypeFacts[] {
  return members.flatMap((one) => (one.kind === 'union' ? flat(one.members) : one));
}

/** True if the type has no value in JSON. */
export function hasNoValue(type: TypeFacts): boolean {
  if (type.kind === 'union') return flat([type]).every(hasNoValue);
  return type.kind === 'undefined' || type.kind === 'never';
}

function withoutCasts(schema: SchemaDraft): MappedType {
  return { schema, casts: [] };
}

/** `const` for one literal, `enum` for several. `type` is set if all have the same. */
function literalChoice(values: readonly Literal[]): MappedType[] {
  const different = [...new Set(values)];
  if (different.length === 0) return [];
  const types = new Set(different.map((value) => typeof value));
  const [type] = types.size === 1 ? types : [];
  if (type === 'boolean' && different.length === 2) return [withoutCasts({ type })];
  const common = type !== undefined && { type };
  if (different.length === 1) return [withoutCasts({ ...common, const: different[0] })];
  return [withoutCasts({ ...common, enum: different })];
}

function removeDuplicateTypes(members: readonly MappedType[]): readonly MappedType[] {
  const seen = new Set<string>();
  return members.filter((member) => {
    const text = JSON.stringify(member);
    return !seen.has(text) && seen.add(text);
  });
}

function mapUnion(members: readonly MappedType[]): MappedType {
  const [first, ...others] = members;
  if (!first) return withoutCasts({});
  if (others.length === 0) return first;
  return {
    schema: { anyOf: members.map(({ schema }) => schema) },
    casts: members.flatMap((member, index) => below(`/anyOf/${index}`, member)),
  };
}
