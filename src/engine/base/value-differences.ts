import { canonical } from './canonical-json.js';
import type { DocumentPath } from './files/document-path.js';
import { isRecord } from './value-checks.js';

/** A value that differs between two documents; undefined where it is missing. */
export interface ValueDifference {
  readonly path: DocumentPath;
  readonly before: unknown;
  readonly after: unknown;
}

/** Yields differing values, descending into objects. */
export function* valuesBetween(
  before: unknown,
  after: unknown,
  path: DocumentPath = [],
): Generator<ValueDifference> {
  if (!isRecord(before) || !isRecord(after)) {
    if (canonical(before) !== canonical(after)) yield { path, before, after };
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* valuesBetween(ownValue(before, key), ownValue(after, key), [...path, key]);
  }
}

function ownValue(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
