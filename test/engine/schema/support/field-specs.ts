import fc from 'fast-check';

type Options = Readonly<Record<string, unknown>>;

/** A field with everything said out: what is compared with what was made of it. */
export interface AnyField extends Options {
  readonly type: string;
}

export type AnySpec = Readonly<Record<string, AnyField>>;

const names = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'city',
    'type',
    'constructor',
    'toString',
    'valueOf',
    '10',
    '2',
    'if',
    'x y',
    'a/b~c',
  ),
  fc.string({ maxLength: 6 }).filter((name) => name !== '__proto__'),
);

const enumValues = fc.uniqueArray(fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.boolean()), {
  minLength: 1,
  maxLength: 4,
  selector: String,
});

const bounds = (least: number, most: number) =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: 0, max: 5 }))
    .chain(([low, more]) =>
      fc.constantFrom<Options>({}, { min: low }, { max: low + more }, { min: low, max: low + more }),
    );

const choice = fc
  .tuple(enumValues, fc.constantFrom<Options>({}, { wire: 'string' }, { wire: 'native' }))
  .map(([values, wire]) => ({ values, ...wire }));

const { spec } = fc.letrec<{ spec: AnySpec; field: AnyField; item: AnyField; fields: AnySpec }>((tie) => ({
  spec: fc.dictionary(names, tie('field'), { maxKeys: 5 }),
  fields: fc.dictionary(names, tie('field'), { minKeys: 1, maxKeys: 3, depthIdentifier: 'field' }),
  field: fc
    .tuple(tie('item'), fc.boolean(), fc.boolean())
    .chain(([one, required, hasDefault]) =>
      hasDefault
        ? declaredValue(one).map((value): AnyField => ({ ...one, required, default: value }))
        : fc.constant<AnyField>({ ...one, ...(required && { required }) }),
    ),
  item: fc.oneof(
    { depthIdentifier: 'field', maxDepth: 3 },
    fc.constantFrom<AnyField>(
      { type: 'string' },
      { type: 'string', minLength: 1 },
      { type: 'string', maxLength: 3 },
    ),
    bounds(-5, 5).map((limits) => ({ type: 'integer', ...limits })),
    bounds(-5, 5).map((limits) => ({ type: 'number', ...limits })),
    fc.constant<AnyField>({ type: 'boolean' }),
    choice.map((options) => ({ type: 'enum', ...options })),
    fc.tuple(fc.constantFrom('string[]', 'integer[]', 'boolean[][]'), bounds(0, 2)).map(([type, limits]) => ({
      type,
      ...limits,
    })),
    fc.tuple(choice, bounds(0, 2)).map(([options, limits]) => ({ type: 'enum[]', ...options, ...limits })),
    tie('fields').map((fields) => ({ type: 'object', fields })),
    fc
      .tuple(tie('fields'), bounds(0, 2))
      .map(([fields, limits]) => ({ type: 'object[]', fields, ...limits })),
    fc.tuple(tie('item'), bounds(0, 2)).map(([items, limits]) => ({ type: 'array', items, ...limits })),
  ),
}));

/** Any field spec that is one. */
export const anySpec: fc.Arbitrary<AnySpec> = spec;

/** What an array field says of its items. */
export function itemsOf({ type, ...options }: AnyField): AnyField | undefined {
  if (type === 'array') return options.items as AnyField;
  if (!type.endsWith('[]')) return undefined;
  const { values, wire, fields } = options;
  const kept = { values, wire, fields };
  const given = Object.entries(kept).filter(([, value]) => value !== undefined);
  return { type: type.slice(0, -2), ...Object.fromEntries(given) };
}

/** A value as its author would declare it. */
function declaredValue(one: AnyField): fc.Arbitrary<unknown> {
  return valueFor(one, (values) => fc.constantFrom(...values));
}

/** A value as a client would send it that is right for a field. */
export function rightValue(one: AnyField): fc.Arbitrary<unknown> {
  return valueFor(one, (values, isNative) =>
    isNative ? fc.constantFrom(...values) : fc.constantFrom(...values).map(String),
  );
}

type OfEnum = (values: readonly unknown[], isNative: boolean) => fc.Arbitrary<unknown>;

function valueFor(one: AnyField, ofEnum: OfEnum): fc.Arbitrary<unknown> {
  const { type, min, max, minLength = 0, maxLength = 6 } = one;
  const items = itemsOf(one);
  if (items) {
    const minItems = Number(min ?? 0);
    return fc.array(valueFor(items, ofEnum), { minLength: minItems, maxLength: Number(max ?? minItems + 2) });
  }
  const low = Number(min ?? -10);
  const high = Number(max ?? low + 20);
  if (type === 'integer') return fc.integer({ min: Math.min(low, high), max: high });
  if (type === 'number')
    return fc.double({ min: Math.min(low, high), max: high, noNaN: true }).map((n) => n + 0);
  if (type === 'boolean') return fc.boolean();
  if (type === 'enum') return ofEnum(one.values as readonly unknown[], one.wire === 'native');
  if (type === 'object') return rightRecord(one.fields as AnySpec, (held) => valueFor(held, ofEnum));
  return fc.string({ unit: 'grapheme-ascii', minLength: Number(minLength), maxLength: Number(maxLength) });
}

function rightRecord(
  fields: AnySpec,
  value: (one: AnyField) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const entries = Object.entries(fields).map(([name, one]) => {
    const entry = value(one).map((held) => [[name, held]] as const);
    return one.required === true ? entry : fc.oneof(entry, fc.constant([] as const));
  });
  return fc
    .tuple(...entries)
    .map((lists) => Object.fromEntries(lists.flat() as (readonly [string, unknown])[]));
}

/** Arguments that are right for a spec. */
export function rightArguments(spec: AnySpec): fc.Arbitrary<Record<string, unknown>> {
  return rightRecord(spec, rightValue);
}

/** Arguments that are right, or nearly: one of them may be anything, gone, or not declared at all. */
export function anyArguments(spec: AnySpec): fc.Arbitrary<Record<string, unknown>> {
  const declared = Object.keys(spec);
  const spoilt = fc
    .tuple(
      rightArguments(spec),
      fc.constantFrom(...declared, 'stray'),
      fc.oneof(fc.jsonValue(), fc.constant(undefined)),
    )
    .map(([args, name, value]) => {
      const others = Object.entries(args).filter(([key]) => key !== name);
      return Object.fromEntries(value === undefined ? others : [...others, [name, value] as const]);
    });
  return fc.oneof(rightArguments(spec), spoilt);
}
