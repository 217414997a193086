import { isRecord } from '../base/value-checks.js';
import type { Extension } from '../extension/extension.js';
import { lazyFunction } from './lazy-function.js';
import type { CompleteFunction, SuggestionSource } from './specs.js';
import { ResultError, requirePlain } from './tool-result.js';

/** Suggestions for a partly typed value. */
export interface Suggestions {
  readonly values: readonly string[];
  /** Total number, if known. */
  readonly total?: number;
  readonly hasMore: boolean;
}

/** Most values of one response. @see MCP, server/utilities/completion */
const maxValues = 100;

/** Reads a `complete` key. */
export function readSuggestions(value: unknown, extension: Extension): SuggestionSource {
  return Array.isArray(value) ? value.map(String) : lazyFunction<CompleteFunction>(value, extension);
}

/** Values that begin with the typed text, ignoring case. */
export function filterByPrefix(typed: string, values: readonly string[]): readonly string[] {
  return values.filter((one) => one.toLowerCase().startsWith(typed.toLowerCase()));
}

/**
 * Converts the return value of a `complete` function to suggestions: a list of strings, or `{ values, total?, hasMore?
 * }`.
 * @throws ResultError for anything else.
 */
export function toSuggestions(returned: unknown): Suggestions {
  const value = requirePlain(returned);
  const { values, total, hasMore } = isRecord(value) ? value : { values: value };
  if (!Array.isArray(values) || !values.every((one) => typeof one === 'string' || typeof one === 'number')) {
    throw new ResultError('"complete" returns a list of strings, or { values, total?, hasMore? }');
  }
  const shown = values.slice(0, maxValues).map(String);
  const isCut = values.length > maxValues;
  if (!isRecord(value)) return { values: shown, total: values.length, hasMore: isCut };
  const isTotal = Number.isSafeInteger(total) && (total as number) >= values.length;
  return {
    values: shown,
    ...(isTotal && { total: total as number }),
    hasMore: isCut || hasMore === true || (isTotal && (total as number) > values.length),
  };
}
