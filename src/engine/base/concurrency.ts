/** Does something for each entry of a list, some at a time. */
export async function forEachLimited<T>(
  entries: Iterable<T>,
  atOnce: number,
  work: (entry: T) => Promise<void>,
): Promise<void> {
  const rest = entries[Symbol.iterator]();
  // One iterator for all: each worker takes the next entry that nobody has.
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
