import { isRecord } from '../base/value-checks.js';
import type { CastPlan } from './cast-plan.js';
import type { EnumValue } from './fields.js';
import type { JsonSchema } from './json-schema.js';

/** A field in wire form, with the plan that casts its values. */
interface FieldSchema {
  readonly wire: JsonSchema;
  readonly plan: CastPlan;
}

/** Describes the value that a default should have been; `undefined` if it fits. Does not check `format`. */
export function expectation(value: unknown, { wire, plan }: FieldSchema): string | undefined {
  if (plan.kind === 'enum') {
    const isListed = plan.values.includes(value as EnumValue);
    return isListed ? undefined : `one of ${plan.values.map((one) => JSON.stringify(one)).join(', ')}`;
  }
  if (plan.kind === 'array') return expectedList(value, wire, plan);
  if (plan.kind === 'object') return expectedObject(value, wire, plan);
  if (plan.type === 'integer' ? !Number.isInteger(value) : typeof value !== plan.type) {
    return plan.type === 'integer' ? 'an integer' : `a ${plan.type}`;
  }
  return unmetBound(value, wire);
}

function expectedList(
  value: unknown,
  { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: JsonSchema,
  plan: Extract<CastPlan, { kind: 'array' }>,
): string | undefined {
  if (!Array.isArray(value)) return 'an array';
  if (value.length < Number(minItems)) return `an array of at least ${String(minItems)}`;
  if (value.length > Number(maxItems)) return `an array of at most ${String(maxItems)}`;
  const item = { wire: items as JsonSchema, plan: plan.items };
  const wrong = value.map((one) => expectation(one, item)).find((wanted) => wanted !== undefined);
  return wrong && `an array, each item ${wrong}`;
}

function expectedObject(
  value: unknown,
  { properties }: JsonSchema,
  { fields }: Extract<CastPlan, { kind: 'object' }>,
): string | undefined {
  if (!isRecord(value)) return 'an object';
  const unknown = Object.keys(value).find((key) => !fields.some(({ name }) => name === key));
  if (unknown !== undefined) return `an object of its fields, without ${JSON.stringify(unknown)}`;
  for (const { name, plan, required } of fields) {
    if (!Object.hasOwn(value, name)) {
      if (required) return `an object with "${name}"`;
      continue;
    }
    const wanted = expectation(value[name], {
      wire: (properties as Record<string, JsonSchema>)[name]!,
      plan,
    });
    if (wanted) return `an object whose "${name}" is ${wanted}`;
  }
  return undefined;
}

/** Describes the first bound that a value of the right type violates. */
function unmetBound(value: unknown, wire: JsonSchema): string | undefined {
  return Object.entries(bounds)
    .find(([keyword, { isMet }]) => {
      const bound = wire[keyword];
      return bound !== undefined && !isMet(value, bound);
    })?.[1]
    .words(wire);
}

interface BoundCheck {
  readonly isMet: (value: unknown, bound: unknown) => boolean;
  readonly words: (wire: JsonSchema) => string;
}

/** Length of a text in code points, as in JSON Schema. */
const countCharacters = (value: unknown) => [...String(value)].length;

const bounds: Readonly<Record<string, BoundCheck>> = {
  minimum: {
    isMet: (value, bound) => Number(value) >= Number(bound),
    words: ({ minimum }) => `at least ${String(minimum)}`,
  },
  maximum: {
    isMet: (value, bound) => Number(value) <= Number(bound),
    words: ({ maximum }) => `at most ${String(maximum)}`,
  },
  minLength: {
    isMet: (value, bound) => countCharacters(value) >= Number(bound),
    words: ({ minLength }) => `a string of at least ${String(minLength)} characters`,
  },
  maxLength: {
    isMet: (value, bound) => countCharacters(value) <= Number(bound),
    words: ({ maxLength }) => `a string of at most ${String(maxLength)} characters`,
  },
  pattern: {
    isMet: (value, bound) => new RegExp(String(bound), 'u').test(String(value)),
    words: ({ pattern }) => `a string that matches ${String(pattern)}`,
  },
};
