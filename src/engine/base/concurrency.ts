/** Runs work for each entry of a list, at most `atOnce` at a time. */
export async function forEachLimited<T>(
  entries: Iterable<T>,
  atOnce: number,
  work: (entry: T) => Promise<void>,
): Promise<void> {
  const rest = entries[Symbol.iterator]();
  // All workers share one iterator, so each entry is taken once.
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
