/** Checks of unknown values. They also narrow the type. */

/** An object with unknown values. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function isStringOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isString);
}

/** True for integers from 0. */
export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** True for objects except lists and null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The kind of an unexpected value, in words. */
export function describeValueType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
