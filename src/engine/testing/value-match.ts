import { canonical } from '../base/canonical-json.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';
import { valuesBetween } from '../base/value-differences.js';

/** A difference between an expected and an actual value. Undefined: there is no value. */
export interface ValueFault {
  readonly path: DocumentPath;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Yields differences from an expected value. Arrays of equal length are compared by index. */
export function* differencesFrom(
  expected: unknown,
  actual: unknown,
  path: DocumentPath = [],
): Generator<ValueFault> {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [index, one] of expected.entries())
      yield* differencesFrom(one, actual[index], [...path, index]);
    return;
  }
  if (isRecord(expected) && isRecord(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      yield* differencesFrom(ownValue(expected, key), ownValue(actual, key), [...path, key]);
    return;
  }
  for (const { before, after } of valuesBetween(expected, actual))
    yield { path, expected: before, actual: after };
}

/**
 * Yields the expected parts that a value does not have. Objects may have more members. Each element of an expected array
 * must match an element of the actual one, in order.
 */
export function* missingFrom(
  expected: unknown,
  actual: unknown,
  path: DocumentPath = [],
): Generator<ValueFault> {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    let next = 0;
    for (const [index, one] of expected.entries()) {
      const found = actual.findIndex((other, at) => at >= next && hasPart(one, other));
      if (found === -1) {
        // With one candidate, the difference inside it is clearer.
        if (expected.length === actual.length) yield* missingFrom(one, actual[index], [...path, index]);
        else yield { path: [...path, index], expected: one, actual: undefined };
        return;
      }
      next = found + 1;
    }
    return;
  }
  if (isRecord(expected) && isRecord(actual)) {
    for (const [key, one] of Object.entries(expected))
      yield* missingFrom(one, ownValue(actual, key), [...path, key]);
    return;
  }
  if (canonical(expected) !== canonical(actual)) yield { path, expected, actual };
}

/** True if a value has all parts of another one. */
export function hasPart(expected: unknown, actual: unknown): boolean {
  return missingFrom(expected, actual).next().done === true;
}

function ownValue(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
