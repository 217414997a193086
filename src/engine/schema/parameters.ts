import type { Field, FieldSpec } from './fields.js';

export function translateParameters(value: unknown): FieldSpec {
  return value as readonly (readonly [string, Field])[];
}
