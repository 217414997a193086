/** Finds the known word within one edit or one transposition, ignoring case. */
export function findTypo(word: string, known: Iterable<string>): string | undefined {
  if (word.length < shortest) return undefined;
  const lower = word.toLowerCase();
  for (const candidate of known) {
    if (candidate.length >= shortest && isOneSlip(lower, candidate.toLowerCase())) return candidate;
  }
  return undefined;
}

/** Shorter words often differ by one letter and are both valid: `uuid`, `ulid`. */
const shortest = 5;

function isOneSlip(a: string, b: string): boolean {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  if (restA === restB || restA.slice(1) === restB || restA === restB.slice(1)) return true;
  if (restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}
