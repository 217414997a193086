import { hasFailed } from '../exit-outcome.js';

/** What went wrong and with what, nothing of it twice: each name is put before the message only if it is not in it. */
export function failureLine(
  { message }: Error,
  {
    client,
    entry,
  }: { readonly client: string; readonly entry?: { readonly key: string; readonly file: string } },
): string {
  const told = ` ${message}`;
  if (entry && !told.includes(entry.file)) {
    return `error: "${entry.key}" in ${client} (${entry.file}): ${message}`;
  }
  return told.includes(` ${client}`) ? `error: ${message}` : `error: ${client}: ${message}`;
}

/** Results, and those that failed after all others: what is printed last is read first. */
export function failuresLast<T extends object>(results: readonly T[]): readonly T[] {
  return [...results.filter((result) => !hasFailed(result)), ...results.filter(hasFailed)];
}

/** How many of several failed: a line, or none. */
export function failureCount(results: readonly object[], noun: string): readonly string[] {
  const { length } = results.filter(hasFailed);
  return length === 0 || results.length === 1 ? [] : [`${length} of ${results.length} ${noun} failed.`];
}
