import { hasFailed } from '../exit-outcome.js';

/** Error line. Names the client and the entry only if the message does not mention them. */
export function failureLine(
  { message }: Error,
  {
    client,
    entry,
  }: { readonly client: string; readonly entry?: { readonly key: string; readonly file: string } },
): string {
  if (entry && !message.includes(entry.file)) {
    return `error: "${entry.key}" in ${client} (${entry.file}): ${message}`;
  }
  // The path of a file may contain the name of a client.
  const told = ` ${entry ? message.replaceAll(entry.file, '') : message}`;
  const isNamed = [...` .,:;'")`].some((end) => told.includes(` ${client}${end}`));
  return isNamed ? `error: ${message}` : `error: ${client}: ${message}`;
}

/** Error line. Names the package only if the message does not mention it. */
export function packageFailureLine(name: string, { message }: Error): string {
  return `error: ${message.includes(name) ? '' : `${name}: `}${message}`;
}

/** Moves failures to the end: users read the last lines first. */
export function failuresLast<T extends object>(results: readonly T[]): readonly T[] {
  return [...results.filter((result) => !hasFailed(result)), ...results.filter(hasFailed)];
}

/** Line with the number of failures; empty if there is no failure or only one result. */
export function failureCount(results: readonly object[], noun: string): readonly string[] {
  const { length } = results.filter(hasFailed);
  return length === 0 || results.length === 1 ? [] : [`${length} of ${results.length} ${noun} failed.`];
}
