/** The known name closest to a mistyped one; undefined if none is similar enough. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(name.length > 3 ? 2 : 1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (candidate.toLowerCase() === name.toLowerCase()) return candidate;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** The known name that a mistyped one can only mean: at most two letters differ, and in every other name more. */
export function onlyMeaning(name: string, known: Iterable<string>): string | undefined {
  const limit = name.length > 3 ? 3 : 2;
  const [best, next] = [...known]
    .map((one) => ({ one, distance: editDistance(name.toLowerCase(), one.toLowerCase(), limit) }))
    .sort((a, b) => a.distance - b.distance);
  if (!best || best.distance === limit || best.distance === next?.distance) return undefined;
  return best.one;
}

/** The only name that equals a word in any case. */
export function inAnyCase(word: string, names: readonly string[]): string | undefined {
  const equal = new Set(names.filter((name) => name.toLowerCase() === word.toLowerCase()));
  return equal.size === 1 ? [...equal][0] : undefined;
}

/** Levenshtein distance. Stops at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + change));
    }
    row = next;
  }
  return Math.min(row[b.length]!, limit);
}
