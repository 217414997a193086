import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSchema, fields, jsonSchema } from '../../../src/engine/schema/index.js';
import { findChangeFaults } from '../../../src/engine/schema/parameter-override-faults.js';
import { changeInput, type ParameterOverride } from '../../../src/engine/schema/parameter-overrides.js';
import { runs } from '../../support/runs.js';
import {
  type AnyField,
  type AnySpec,
  anyArguments,
  anySpec,
  itemsOf,
  rightArguments,
  rightValue,
} from './support/field-specs.js';

const input = { side: 'input' } as const;
const compileSpec = (spec: AnySpec) => compileSchema(fields(spec as never), input);

/** Without `allErrors`, Ajv takes an argument named "" for one that is there. */
const validator = new Ajv2020({ strict: false, ownProperties: true, allErrors: true, validateSchema: false });

/** Says by a validator of its own whether a schema takes a value. */
function takes(schema: object, value: unknown): boolean {
  return validator.compile(schema)(value) as boolean;
}

const specAndArguments = anySpec.chain((spec) => fc.tuple(fc.constant(spec), anyArguments(spec)));

describe('for any field spec', () => {
  it('accepts exactly the values that its schema accepts', async () => {
    await fc.assert(
      fc.asyncProperty(specAndArguments, async ([spec, sent]) => {
        const schema = await compileSpec(spec);
        const result = await schema.check(sent);
        expect(result.ok).toBe(takes(schema.wire, sent));
        if (result.ok) return;
        expect(result).not.toHaveProperty('value');
        expect(result.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: runs },
    );
  });

  it('arguments that are right are accepted', async () => {
    const right = anySpec.chain((spec) => fc.tuple(fc.constant(spec), rightArguments(spec)));
    await fc.assert(
      fc.asyncProperty(right, async ([spec, sent]) => {
        expect(await (await compileSpec(spec)).check(sent)).toMatchObject({ ok: true });
      }),
      { numRuns: runs },
    );
  });

  it('casts accepted values to the declared types, and to nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(specAndArguments, async ([spec, sent]) => {
        const result = await (await compileSpec(spec)).check(sent);
        if (result.ok) requireCast({ type: 'object', fields: spec }, sent, result.value);
      }),
      { numRuns: runs },
    );
  });

  it('leaves arguments and declaration unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(specAndArguments, async ([spec, sent]) => {
        const before = structuredClone({ spec, sent });
        const result = await (await compileSpec(spec)).check(sent);
        if (result.ok) spoil(result.value);
        expect({ spec, sent }).toEqual(before);
      }),
      { numRuns: runs },
    );
  });

  it('is equal to the list of its entries', async () => {
    await fc.assert(
      fc.asyncProperty(specAndArguments, async ([spec, sent]) => {
        const [byName, listed] = await Promise.all([
          compileSpec(spec),
          compileSchema(fields(Object.entries(spec) as never), input),
        ]);
        expect(listed.wire).toEqual(byName.wire);
        expect(await listed.check(sent)).toEqual(await byName.check(sent));
      }),
      { numRuns: runs / 2 },
    );
  });

  it('defaults are among the values that its schema takes', async () => {
    await fc.assert(
      fc.asyncProperty(anySpec, async (spec) => {
        const { properties } = (await compileSpec(spec)).wire as {
          properties: Record<string, { default?: unknown }>;
        };
        for (const property of Object.values(properties)) {
          if (property.default !== undefined) expect(takes(property, property.default)).toBe(true);
        }
      }),
      { numRuns: runs },
    );
  });
});

/** Compares a value with what its field promises, at every level. */
function requireCast(field: AnyField, sent: unknown, got: unknown): void {
  const items = itemsOf(field);
  if (items) {
    expect(got).toHaveLength((sent as unknown[]).length);
    for (const [index, item] of (sent as unknown[]).entries())
      requireCast(items, item, (got as unknown[])[index]);
  } else if (field.type === 'object') {
    requireRecord(field.fields as AnySpec, sent as Record<string, unknown>, got as Record<string, unknown>);
  } else if (field.type === 'enum') {
    expect(field.values).toContain(got);
    expect(field.wire === 'native' ? got : String(got)).toBe(sent);
  } else expect(got).toEqual(sent);
}

function requireRecord(
  spec: AnySpec,
  sent: Readonly<Record<string, unknown>>,
  got: Readonly<Record<string, unknown>>,
): void {
  expect([null, Object.prototype]).toContain(Object.getPrototypeOf(got));
  const expected = Object.entries(spec).flatMap(([name, { default: initial, required }]) =>
    Object.hasOwn(sent, name) || (initial !== undefined && required !== true) ? [name] : [],
  );
  expect(Object.keys(got).sort()).toEqual([...expected].sort());
  for (const name of expected) {
    const field = spec[name]!;
    if (Object.hasOwn(sent, name)) requireCast(field, sent[name], got[name]);
    else if (typeof field.default === 'object') expect(got[name]).toMatchObject(field.default as object);
    else expect(got[name]).toBe(field.default);
  }
  for (const name of Object.keys(spec)) if (!expected.includes(name)) expect(got[name]).toBeUndefined();
}

/** Changes everything in a value. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const held of Object.values(value)) spoil(held);
  if (Array.isArray(value)) value.push('spoilt');
  else Reflect.set(value, 'spoilt', true);
}

/** What a server might do with each argument of a spec. */
interface Plan {
  readonly pinned: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, ParameterOverride>>;
}

function anyPlan(spec: AnySpec): fc.Arbitrary<Plan> {
  const each = Object.entries(spec).map(([name, field], index) =>
    fc.oneof(
      fc.constant<Plan>({ pinned: {}, parameters: {} }),
      rightValue(field).map((value): Plan => ({ pinned: { [name]: value }, parameters: {} })),
      fc
        .constantFrom<ParameterOverride>(
          { name: `renamed ${index}` },
          { description: 'Said otherwise.' },
          { name: `renamed ${index}`, description: 'Said otherwise.' },
        )
        .map((change): Plan => ({ pinned: {}, parameters: { [name]: change } })),
      // One that must be sent and has no default cannot be hidden.
      fc.constant<Plan>({
        pinned: {},
        parameters:
          field.required === true && field.default === undefined ? {} : { [name]: { hidden: true } },
      }),
    ),
  );
  return fc.tuple(...each).map((plans) => ({
    pinned: Object.assign({}, ...plans.map(({ pinned }) => pinned)),
    parameters: Object.assign({}, ...plans.map(({ parameters }) => parameters)),
  }));
}

const specPlanAndArguments = anySpec.chain((spec) =>
  fc.tuple(fc.constant(spec), anyPlan(spec), anyArguments(spec)),
);

describe('any fixed, renamed, described or hidden parameters', () => {
  it.each(['a field spec', 'a JSON Schema'])(
    'the arguments of %s are accepted or refused as before, and arrive the same',
    async (form) => {
      await fc.assert(
        fc.asyncProperty(specPlanAndArguments, async ([spec, plan, given]) => {
          const asFields = await compileSpec(spec);
          const original =
            form === 'a field spec' ? asFields : await compileSchema(jsonSchema(asFields.wire), input);
          expect(await findChangeFaults(original, plan)).toEqual([]);
          const changed = changeInput(original, plan);

          const isOpen = (name: string) =>
            !Object.hasOwn(plan.pinned, name) && plan.parameters[name]?.hidden !== true;
          const open = Object.entries(given).filter(([name]) => isOpen(name));
          const sent = Object.fromEntries(open.map(([name, value]) => [calledIn(plan, name), value]));
          const hidden = Object.keys(plan.parameters).filter((name) => plan.parameters[name]?.hidden);
          const filled = hidden.flatMap((name) => {
            const { properties } = asFields.wire as { properties: Record<string, { default?: unknown }> };
            const isFilledIn = form === 'a JSON Schema' || spec[name]?.required === true;
            const value = properties[name]?.default;
            return isFilledIn && value !== undefined ? [[name, value] as const] : [];
          });
          const own = Object.fromEntries([...open, ...filled, ...Object.entries(plan.pinned)]);

          const [before, after] = await Promise.all([original.check(own), changed.check(sent)]);
          expect(after.ok).toBe(before.ok);
          expect(takes(changed.wire, sent)).toBe(before.ok);
          if (before.ok && after.ok) expect(after.value).toEqual(before.value);
        }),
        { numRuns: runs },
      );
    },
  );

  it('clients are shown nothing that is fixed or hidden, and each argument once', async () => {
    await fc.assert(
      fc.asyncProperty(specPlanAndArguments, async ([spec, plan]) => {
        const changed = changeInput(await compileSpec(spec), plan);
        const { properties, required = [] } = changed.wire as { properties: object; required?: string[] };
        const shown = Object.keys(spec).filter(
          (name) => !Object.hasOwn(plan.pinned, name) && plan.parameters[name]?.hidden !== true,
        );
        const called = shown.map((name) => calledIn(plan, name));
        expect(Object.keys(properties).sort()).toEqual(called.sort());
        expect(called).toEqual(expect.arrayContaining(required));
      }),
      { numRuns: runs },
    );
  });
});

function calledIn({ parameters }: Plan, name: string): string {
  return (Object.hasOwn(parameters, name) ? parameters[name]?.name : undefined) ?? name;
}
