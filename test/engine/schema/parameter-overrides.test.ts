import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type CompiledSchema,
  compileSchema,
  fields,
  jsonSchema,
  noInput,
} from '../../../src/engine/schema/index.js';
import {
  findChangeFaults,
  type OverrideFault,
} from '../../../src/engine/schema/parameter-override-faults.js';
import {
  changeInput,
  type InputOverrides,
  type ParameterOverride,
} from '../../../src/engine/schema/parameter-overrides.js';
import { composed } from './support/composed.js';

type Parameters = Readonly<Record<string, ParameterOverride>>;

const compiled = (schema: unknown) => compileSchema(schema, { side: 'input', resolveFrom: import.meta.url });

async function changed(schema: unknown, parameters: Parameters, pinned = {}): Promise<CompiledSchema> {
  const input = await compiled(schema);
  expect(await findChangeFaults(input, { parameters, pinned })).toEqual([]);
  return changeInput(input, { parameters, pinned });
}

/** One tool in every form that a schema can have. */
const forms: readonly (readonly [string, unknown])[] = [
  [
    'a field spec',
    fields({
      city: { type: 'string', required: true, description: 'Where' },
      unit: { type: 'enum', values: ['c', 'f', 'k'], default: 'c' },
      days: { type: 'integer', default: 3 },
    }),
  ],
  [
    'a JSON Schema',
    jsonSchema({
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Where' },
        unit: { type: 'string', enum: ['c', 'f', 'k'], default: 'c' },
        days: { type: 'integer', default: 3 },
      },
      required: ['city'],
    }),
  ],
  [
    'zod',
    z.object({
      city: z.string().describe('Where'),
      unit: z.enum(['c', 'f', 'k']).default('c'),
      days: z.number().int().default(3),
    }),
  ],
  [
    'valibot',
    v.object({
      city: v.pipe(v.string(), v.description('Where')),
      unit: v.optional(v.picklist(['c', 'f', 'k']), 'c'),
      days: v.optional(v.pipe(v.number(), v.integer()), 3),
    }),
  ],
  [
    'arktype',
    type({
      city: type('string').describe('Where'),
      unit: "'c' | 'f' | 'k' = 'c'",
      days: 'number.integer = 3',
    }),
  ],
];

interface Shown {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
}

const shown = ({ wire }: CompiledSchema) => wire as unknown as Shown;

async function delivered(input: CompiledSchema, sent: unknown): Promise<unknown> {
  const result = await input.check(sent);
  return result.ok ? result.value : result.issues.map(({ path, message }) => `${path} ${message}`);
}

describe.each(forms)('an argument of %s', (name, schema) => {
  const isRaw = name === 'a JSON Schema';

  test('goes by another name, which the handler does not see', async () => {
    const input = await changed(schema, { city: { name: 'place' } });
    expect(Object.keys(shown(input).properties).sort()).toEqual(['days', 'place', 'unit']);
    expect(shown(input).required).toEqual(['place']);
    expect(await delivered(input, { place: 'Bonn', unit: 'f', days: 1 })).toEqual({
      city: 'Bonn',
      unit: 'f',
      days: 1,
    });
  });

  test('is asked for by the name that clients know', async () => {
    const input = await changed(schema, { city: { name: 'place' } });
    expect(await delivered(input, { city: 'Bonn' })).toEqual([
      expect.stringMatching(/^\/place .*(place|expected)/i),
    ]);
    expect(await delivered(input, { place: 5 })).toEqual([expect.stringMatching(/^\/place .*place/)]);
  });

  test('is described otherwise', async () => {
    const input = await changed(schema, {
      city: { description: 'The capital' },
      days: { description: 'How long' },
    });
    expect(shown(input).properties.city).toMatchObject({ type: 'string', description: 'The capital' });
    expect(shown(input).properties.days).toMatchObject({ description: 'How long' });
    expect(await delivered(input, { city: 'Bonn', unit: 'c', days: 1 })).toMatchObject({ city: 'Bonn' });
  });

  test('has fewer values', async () => {
    const input = await changed(schema, { unit: { enum: ['f', 'c'] } });
    expect(shown(input).properties.unit?.enum).toEqual(['f', 'c']);
    expect(await delivered(input, { city: 'Bonn', unit: 'f' })).toMatchObject({ unit: 'f' });
    expect(await delivered(input, { city: 'Bonn', unit: 'k' })).toEqual([
      expect.stringMatching(/^\/unit "unit" must be one of: f, c$/),
    ]);
    expect(await delivered(input, { city: 'Bonn', unit: 'x' })).not.toEqual(
      expect.objectContaining({ unit: 'x' }),
    );
  });

  test('has fewer values under another name', async () => {
    const input = await changed(schema, { unit: { enum: ['c'], name: 'scale' } });
    expect(shown(input).properties.scale?.enum).toEqual(['c']);
    expect(await delivered(input, { city: 'Bonn', scale: 'k' })).toEqual([
      '/scale "scale" must be one of: c',
    ]);
  });

  test('is hidden, and its default reaches the handler', async () => {
    const input = await changed(schema, { days: { hidden: true }, unit: { hidden: true } });
    expect(Object.keys(shown(input).properties)).toEqual(['city']);
    for (const sent of [
      { city: 'Bonn' },
      { city: 'Bonn', days: 5, unit: 'k' },
      { city: 'Bonn', days: 'many' },
    ]) {
      expect(await delivered(input, sent)).toEqual({ city: 'Bonn', unit: 'c', days: 3 });
    }
  });

  test('is hidden behind a default that the server gives', async () => {
    const input = await changed(schema, { city: { hidden: true, default: 'Bonn' } });
    expect(shown(input).properties).not.toHaveProperty('city');
    expect(shown(input)).not.toHaveProperty('required');
    expect(await delivered(input, { city: 'Rome', days: 1 })).toMatchObject({ city: 'Bonn', days: 1 });
  });

  test('has another default, which is filled in', async () => {
    const input = await changed(schema, { city: { default: 'Bonn' }, days: { default: 7 } });
    expect(shown(input).required ?? []).toEqual([]);
    expect(shown(input).properties.days?.default).toBe(7);
    const filled = { city: 'Bonn', days: 7, ...(!isRaw && { unit: 'c' }) };
    expect(await delivered(input, {})).toEqual(filled);
    expect(await delivered(input, { days: 1, city: 'Rome' })).toMatchObject({ city: 'Rome', days: 1 });
  });

  test('changes beside one that is fixed', async () => {
    const input = await changed(schema, { city: { name: 'place' } }, { unit: 'k' });
    expect(Object.keys(shown(input).properties).sort()).toEqual(['days', 'place']);
    expect(await delivered(input, { place: 'Bonn', unit: 'c' })).toMatchObject({ city: 'Bonn', unit: 'k' });
  });

  test('may take the name of another one that is gone or renamed', async () => {
    const swapped = await changed(schema, { city: { name: 'days' }, days: { name: 'city' } });
    expect(await delivered(swapped, { days: 'Bonn', city: 5 })).toMatchObject({ city: 'Bonn', days: 5 });
    const hidden = await changed(schema, { city: { name: 'unit' }, unit: { hidden: true } });
    expect(await delivered(hidden, { unit: 'Bonn' })).toMatchObject({ city: 'Bonn', unit: 'c' });
  });

  test('can be changed once more', async () => {
    const once = await changed(schema, { city: { name: 'place' }, unit: { enum: ['c', 'f'] } });
    const parameters = { place: { name: 'town', default: 'Bonn' }, unit: { enum: ['c'] } };
    expect(await findChangeFaults(once, { parameters, pinned: {} })).toEqual([]);
    const twice = changeInput(once, { parameters, pinned: {} });
    expect(await delivered(twice, { town: 'Rome' })).toMatchObject({ city: 'Rome' });
    expect(await delivered(twice, {})).toMatchObject({ city: 'Bonn' });
    expect(await delivered(twice, { unit: 'f' })).toEqual(['/unit "unit" must be one of: c']);
  });

  const vain: readonly (readonly [string, Parameters, Partial<OverrideFault>])[] = [
    ['an unknown one', { citty: {} }, { problem: 'unknown', name: 'citty' }],
    [
      'a name that another one has',
      { city: { name: 'days' } },
      { problem: 'taken-name', by: 'days' } as never,
    ],
    ['a required one hidden', { city: { hidden: true } }, { problem: 'needed', name: 'city' }],
    ['no list of values', { city: { enum: ['Bonn'] } }, { problem: 'no-choice', name: 'city' }],
    [
      'a value it does not have',
      { unit: { enum: ['c', 'x'] } },
      { problem: 'no-such-choice', index: 1 } as never,
    ],
    [
      'a new default among the values that are gone',
      { unit: { enum: ['c', 'f'], default: 'k' } },
      { problem: 'lost-default', value: 'k', isOwn: false } as never,
    ],
    [
      'a default of the wrong type',
      { days: { default: 'many' } },
      { problem: 'unfit-default', name: 'days' },
    ],
    [
      'a hidden default of the wrong type',
      { days: { default: 'many', hidden: true } },
      { problem: 'unfit-default', name: 'days' },
    ],
    [
      'a hidden one renamed',
      { days: { hidden: true, name: 'd' } },
      { problem: 'unseen', key: 'name' } as never,
    ],
    ['an empty name', { city: { name: '' } }, { problem: 'unusable-name' }],
    ['a name that is no name', { city: { name: '__proto__' } }, { problem: 'unusable-name' }],
  ];

  test.each(vain)('cannot be changed to %s', async (_, parameters, fault) => {
    const found = await findChangeFaults(await compiled(schema), { parameters, pinned: {} });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject(fault);
  });

  test('cannot be without its default', async () => {
    const found = await findChangeFaults(await compiled(schema), {
      parameters: { unit: { enum: ['f'] } },
      pinned: {},
    });
    // What arktype fills in, its JSON Schema does not say.
    const lost = { problem: 'lost-default', name: 'unit', value: 'c', isOwn: true };
    expect(found).toEqual(name === 'arktype' ? [] : [lost]);
  });

  test('cannot be fixed and changed at once', async () => {
    const changes: InputOverrides = { parameters: { city: { name: 'place' } }, pinned: { city: 'Bonn' } };
    expect(await findChangeFaults(await compiled(schema), changes)).toEqual([
      { problem: 'fixed', name: 'city' },
    ]);
  });

  test('leaves what it was made of as it is', async () => {
    const input = await compiled(schema);
    const before = structuredClone(input.wire);
    changeInput(input, {
      parameters: { city: { name: 'place', description: 'x' }, days: { hidden: true } },
      pinned: {},
    });
    expect(input.wire).toEqual(before);
  });
});

/** Arguments with and without each of three names, of right and wrong values. */
function candidates(name: string): readonly Readonly<Record<string, unknown>>[] {
  const values = { [name]: ['metric', 'imperial', 'none'], place: ['x', 3], days: [3, 'x'] };
  return Object.entries(values).reduce<readonly Readonly<Record<string, unknown>>[]>(
    (known, [key, choices]) =>
      known.flatMap((one) => [one, ...choices.map((value) => ({ ...one, [key]: value }))]),
    [{}],
  );
}

/** Schemas that take the argument without naming it. */
const unnamed = ['properties by pattern', 'other properties of a kind'];

describe('a schema that speaks of an argument in', () => {
  const whole = (schema: object) => ({ type: 'object', ...schema });

  test.each(Object.entries(composed))('%s speaks of it by its new name', async (name, schema) => {
    const input = await compiled(jsonSchema(whole(schema)));
    const parameters = { units: { name: 'system' } };
    const faults = await findChangeFaults(input, { parameters, pinned: {} });
    if (unnamed.includes(name)) {
      expect(faults).toMatchObject([{ problem: 'unknown', name: 'units' }]);
      return;
    }
    expect(faults).toEqual([]);
    const renamed = changeInput(input, { parameters, pinned: {} });
    const listed = await compiled(jsonSchema(renamed.wire));
    for (const { system, ...others } of candidates('system')) {
      const sent = { ...others, ...(system !== undefined && { system }) };
      const own = { ...others, ...(system !== undefined && { units: system }) };
      const { ok } = await input.check(own);
      expect([await delivered(renamed, sent), (await listed.check(sent)).ok]).toEqual([
        ok ? own : expect.any(Array),
        ok,
      ]);
    }
  });

  test.each(Object.entries(composed))('%s does not speak of it once it is hidden', async (_, schema) => {
    const input = await compiled(jsonSchema(whole(schema)));
    const accepted = await Promise.all(
      candidates('place').map(async (sent) => ({ sent, ok: (await input.check(sent)).ok })),
    );
    const parameters = { units: { hidden: true } };
    const faults = await findChangeFaults(input, { parameters, pinned: {} });
    if (faults.length > 0) {
      expect(['unknown', 'needed', 'together']).toContain(faults[0]?.problem);
      if (faults[0]?.problem !== 'unknown') expect(accepted.filter(({ ok }) => ok)).toEqual([]);
      return;
    }
    const { wire } = changeInput(input, { parameters, pinned: {} });
    const listed = await compiled(jsonSchema(wire));
    for (const { sent, ok } of accepted) expect([sent, (await listed.check(sent)).ok]).toEqual([sent, ok]);
    const { $defs: _defs, patternProperties: _patterns, ...visible } = wire;
    expect(Object.keys(visible.properties ?? {})).not.toContain('units');
  });
});

describe('a schema of arguments', () => {
  const units = { type: 'string', enum: ['metric', 'imperial'] };
  const renamed = { units: { name: 'system' } };

  test.each([
    ['a pattern for the old name', { patternProperties: { '^un': {} } }, '^un'],
    ['a pattern for the new name', { patternProperties: { '^sys': {} } }, '^sys'],
    ['names of one form', { propertyNames: { maxLength: 5 } }, 'propertyNames'],
    ['a reference by anchor', { $ref: '#more', $defs: { more: { $anchor: 'more' } } }, '#more'],
  ])('cannot have an argument renamed where it has %s', async (_, more, reason) => {
    const input = await compiled(jsonSchema({ type: 'object', properties: { units }, ...more }));
    const found = await findChangeFaults(input, { parameters: renamed, pinned: {} });
    expect(found).toEqual([
      { problem: 'bound-name', name: 'units', reason: expect.stringContaining(reason) },
    ]);
  });

  test('means the same by references to itself and to what is renamed', async () => {
    const inner = {
      type: 'object',
      properties: { units: { $ref: '#/properties/units' }, inner: { $ref: '#' } },
    };
    const whole = { type: 'object', properties: { units, inner }, additionalProperties: false };
    const input = await changed(jsonSchema(whole), renamed);
    const listed = await compiled(jsonSchema(input.wire));
    const rows: readonly (readonly [object, boolean])[] = [
      [{ system: 'metric', inner: { units: 'metric', inner: { units: 'imperial' } } }, true],
      [{ inner: { units: 'none' } }, false],
      [{ inner: { inner: { system: 'metric' } } }, false],
      [{ units: 'metric' }, false],
    ];
    for (const [sent, ok] of rows) {
      expect([sent, (await listed.check(sent)).ok, (await input.check(sent)).ok]).toEqual([sent, ok, ok]);
    }
  });

  test('drops the old name of an argument if open, and rejects it if closed', async () => {
    const open = { type: 'object', properties: { units, place: {} } };
    expect(
      await delivered(await changed(jsonSchema(open), renamed), { units: 'metric', place: 1, other: 2 }),
    ).toEqual({
      place: 1,
      other: 2,
    });
    const closed = await changed(jsonSchema({ ...open, additionalProperties: false }), renamed);
    expect(await delivered(closed, { units: 'metric' })).toEqual([
      '/units "units" is not a known name (known: system, place)',
    ]);
  });

  const lists: readonly (readonly [string, object, unknown, unknown])[] = [
    ['the items of a list', { type: 'array', items: units }, ['metric'], ['metric', 'imperial']],
    [
      'lists of lists',
      { type: 'array', items: { type: 'array', items: units } },
      [['metric']],
      [['imperial']],
    ],
    ['a definition', { $ref: '#/$defs/units' }, 'metric', 'imperial'],
    ['all of several', { allOf: [{ type: 'string' }, { $ref: '#/$defs/units' }] }, 'metric', 'imperial'],
    ['constants', { anyOf: [{ const: 'metric' }, { const: 'imperial' }] }, 'metric', 'imperial'],
    ['some or none', { oneOf: [units, { type: 'null' }] }, 'metric', null],
  ];

  test.each(lists)('has fewer values in %s', async (_, schema, right, wrong) => {
    const whole = { type: 'object', properties: { units: schema }, $defs: { units } };
    const input = await changed(jsonSchema(whole), { units: { enum: ['metric'] } });
    const listed = await compiled(jsonSchema(input.wire));
    for (const [value, ok] of [
      [right, true],
      [wrong, false],
    ] as const) {
      expect([value, (await listed.check({ units: value })).ok]).toEqual([value, ok]);
      expect([value, (await input.check({ units: value })).ok]).toEqual([value, ok]);
    }
  });

  test.each([
    ['any text', { type: 'string' }],
    ['some of anything', { anyOf: [{ enum: ['metric'] }, { type: 'string' }] }],
    ['a list or one of it', { anyOf: [units, { type: 'array', items: units }] }],
  ])('does not list the values of %s', async (_, schema) => {
    const input = await compiled(jsonSchema({ type: 'object', properties: { units: schema } }));
    const parameters = { units: { enum: ['metric'] } };
    expect(await findChangeFaults(input, { parameters, pinned: {} })).toEqual([
      { problem: 'no-choice', name: 'units' },
    ]);
  });

  test('is changed in properties, not in conditions', async () => {
    const whole = {
      type: 'object',
      properties: { units },
      anyOf: [{ properties: { units: { const: 'metric' } } }, { required: ['place'] }],
    };
    const { wire } = await changed(jsonSchema(whole), { units: { description: 'Which', name: 'system' } });
    expect(wire).toEqual({
      type: 'object',
      properties: { system: { ...units, description: 'Which' } },
      anyOf: [{ properties: { system: { const: 'metric' } } }, { required: ['place'] }],
    });
  });

  test('keeps the order and the other keywords of its arguments', async () => {
    const properties = { a: { 'x-mcp-header': 'A', type: 'string' }, units, b: true };
    const { wire } = await changed(jsonSchema({ type: 'object', properties, 'x-own': 1 }), {
      ...renamed,
      a: { name: 'z' },
      b: { description: 'B' },
    });
    expect(JSON.stringify(wire)).toBe(
      JSON.stringify({
        type: 'object',
        properties: { z: properties.a, system: units, b: { description: 'B' } },
        'x-own': 1,
      }),
    );
  });

  test('fills in a separate default for each call', async () => {
    const list = jsonSchema({ type: 'object', properties: { list: { type: 'array' } } });
    const input = await changed(list, { list: { default: ['one'] } });
    const [first, second] = await Promise.all([input.check({}), input.check({})]);
    expect(first).toEqual({ ok: true, value: { list: ['one'] } });
    expect(second).toEqual(first);
    expect((first as { value: { list: unknown } }).value.list).not.toBe(
      (second as typeof first & { value: { list: unknown } }).value.list,
    );
  });

  test('takes no prototype for an argument', async () => {
    const input = await changed(jsonSchema({ type: 'object', properties: { units } }), renamed);
    const sent = JSON.parse('{"__proto__":{"units":"metric"},"constructor":1,"system":"metric"}');
    const value = (await delivered(input, sent)) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'units']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('rejects arguments that require a hidden one', async () => {
    const schema = jsonSchema({
      type: 'object',
      properties: { units, place: {}, days: {} },
      anyOf: [{ required: ['units'] }, { required: ['place'] }],
      dependentRequired: { days: ['units'] },
    });
    const input = await changed(schema, { units: { hidden: true } });
    const { ok: withoutPlace } = await input.check({});
    const { ok: withDays } = await input.check({ place: 1, days: 1 });
    expect([withoutPlace, withDays, (await input.check({ place: 1 })).ok]).toEqual([false, false, true]);
    expect(input.wire).toMatchObject({
      properties: { place: {}, days: false },
      anyOf: [{ required: ['place'] }],
    });
  });

  test('reports a hidden argument that is required', async () => {
    const schema = jsonSchema({
      type: 'object',
      properties: { units, place: {} },
      anyOf: [{ required: ['units'] }],
    });
    const parameters = { units: { hidden: true } };
    expect(await findChangeFaults(await compiled(schema), { parameters, pinned: {} })).toEqual([
      { problem: 'together' },
    ]);
  });

  test('has none that could be changed where a tool has no schema', async () => {
    const faults = await findChangeFaults(noInput, { parameters: { a: { name: 'b' } }, pinned: {} });
    expect(faults).toEqual([{ problem: 'unknown', name: 'a', known: [] }]);
  });

  test('takes no longer than it is large', async () => {
    const fanOut = Array.from({ length: 60 }, (_, at) => [
      `d${at}`,
      { allOf: [at, at].map(() => ({ $ref: `#/$defs/d${at + 1}` })) },
    ]);
    const $defs = { ...Object.fromEntries(fanOut), d60: { properties: { units }, required: ['units'] } };
    const input = await compiled(jsonSchema({ type: 'object', $ref: '#/$defs/d0', $defs }));
    const parameters = { units: { name: 'system', enum: ['metric'] } };
    expect(await findChangeFaults(input, { parameters, pinned: {} })).toEqual([]);
    const { wire } = changeInput(input, { parameters, pinned: {} });
    expect(JSON.stringify(wire).length).toBeLessThan(4 * JSON.stringify(input.wire).length);
  });

  test('is looked through once for values, however its references fan out', async () => {
    const ten = (at: number) => Array.from({ length: 10 }, () => ({ $ref: `#/$defs/d${at}` }));
    const each = Array.from({ length: 60 }, (_, at) => [`d${at}`, { anyOf: ten(at + 1) }]);
    const $defs = { ...Object.fromEntries(each), d60: units };
    const input = await compiled(
      jsonSchema({ type: 'object', properties: { units: { $ref: '#/$defs/d0' } }, $defs }),
    );
    expect(await findChangeFaults(input, { parameters: { units: { enum: ['x'] } }, pinned: {} })).toEqual([
      { problem: 'no-such-choice', name: 'units', index: 0, value: 'x', known: ['metric', 'imperial'] },
    ]);
  });

  test('is refused if it is too deep', async () => {
    const each = Array.from({ length: 3000 }, (_, at) => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }] },
    ]);
    const $defs = { ...Object.fromEntries(each), d3000: { properties: { units } } };
    const input = await compiled(jsonSchema({ type: 'object', $ref: '#/$defs/d0', $defs }));
    expect(await findChangeFaults(input, { parameters: renamed, pinned: {} })).toEqual([
      { problem: 'excessive', reason: expect.stringContaining('too deep') },
    ]);
  });
});
