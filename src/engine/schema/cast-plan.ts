import { isRecord } from '../base/value-checks.js';
import type { EnumValue } from './fields.js';

/** Plan that converts checked arguments into the types that the handler expects. */
export type CastPlan =
  | { readonly kind: 'scalar'; readonly type: 'string' | 'integer' | 'number' | 'boolean' }
  | { readonly kind: 'enum'; readonly values: readonly EnumValue[]; readonly native: boolean }
  | { readonly kind: 'array'; readonly items: CastPlan }
  | { readonly kind: 'object'; readonly fields: readonly FieldPlan[] };

export interface FieldPlan {
  readonly name: string;
  readonly plan: CastPlan;
  readonly required: boolean;
  /** Default in wire form. Wrapped in a record because a default can be any value. */
  readonly initial: { readonly wire: unknown } | undefined;
}

/**
 * Casts a value that passed its check. Keeps declared keys only, maps enum texts to declared values, fills in
 * defaults.
 */
export function cast(value: unknown, plan: CastPlan): unknown {
  if (plan.kind === 'enum')
    return plan.values.find((declared) => isSent(declared, value, plan.native)) ?? value;
  if (plan.kind === 'array')
    return Array.isArray(value) ? value.map((item) => cast(item, plan.items)) : value;
  if (plan.kind === 'object') return isRecord(value) ? castObject(value, plan.fields) : value;
  return value;
}

function isSent(declared: EnumValue, value: unknown, native: boolean): boolean {
  return native ? declared === value : String(declared) === value;
}

function castObject(value: Readonly<Record<string, unknown>>, fields: readonly FieldPlan[]): object {
  const result = emptyFor(fields);
  for (const { name, plan, required, initial } of fields) {
    if (Object.hasOwn(value, name)) result[name] = cast(value[name], plan);
    // Cast for each call, so that a handler that mutates a default does not affect the next call.
    else if (initial && !required) result[name] = cast(initial.wire, plan);
  }
  return result;
}

/** Returns an object without prototype if a field is named like a member of `Object.prototype`. */
function emptyFor(fields: readonly FieldPlan[]): Record<string, unknown> {
  const clashes = fields.some(({ name }) => name in Object.prototype);
  return clashes ? Object.create(null) : {};
}
