import { isRecord } from './compiled-schema.js';
import type { EnumValue } from './fields.js';

/** How checked arguments become what the handler was promised. */
export type CastPlan =
  | { readonly kind: 'scalar'; readonly type: 'string' | 'integer' | 'number' | 'boolean' }
  | { readonly kind: 'enum'; readonly values: readonly EnumValue[]; readonly native: boolean }
  | { readonly kind: 'array'; readonly items: CastPlan }
  | { readonly kind: 'object'; readonly fields: readonly FieldPlan[] };

export interface FieldPlan {
  readonly name: string;
  readonly plan: CastPlan;
  readonly required: boolean;
  /** The default as the wire shows it; a record, for it may be anything. */
  readonly initial: { readonly wire: unknown } | undefined;
}

/** Casts a value that has passed its check: declared keys only, declared enum values, defaults where a key is absent. */
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
    // Cast anew for each call: what one handler does to a list is not what the next one gets.
    else if (initial && !required) result[name] = cast(initial.wire, plan);
  }
  return result;
}

/** Without prototype where an absent field would otherwise read as something every object inherits. */
function emptyFor(fields: readonly FieldPlan[]): Record<string, unknown> {
  const clashes = fields.some(({ name }) => name in Object.prototype);
  return clashes ? Object.create(null) : {};
}
