/**
 * True if a version precedes another one.
 * @see Semantic Versioning 2.0.0, 11
 */
export function isOlder(version: string, other: string): boolean {
  const [one, two] = [parseVersion(version), parseVersion(other)];
  if (!one || !two) return false;
  return (order(one.numbers, two.numbers) || orderOfPrereleases(one.prerelease, two.prerelease)) < 0;
}

interface SemanticVersion {
  readonly numbers: readonly string[];
  readonly prerelease: readonly string[];
}

function parseVersion(version: string): SemanticVersion | undefined {
  const [, numbers, prerelease] = /^v?(\d+\.\d+\.\d+)(?:-([\w.-]+))?(?:\+.*)?$/.exec(version.trim()) ?? [];
  return numbers === undefined
    ? undefined
    : { numbers: numbers.split('.'), prerelease: prerelease?.split('.') ?? [] };
}

/** A version without a prerelease is the release itself, which comes last. */
function orderOfPrereleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  return order(one, other);
}

function order(one: readonly string[], other: readonly string[]): number {
  for (const [index, part] of one.entries()) {
    const found = index < other.length ? orderOfParts(part, other[index]!) : 1;
    if (found !== 0) return found;
  }
  return one.length - other.length;
}

/** Compares numbers by value. Numbers precede words. */
function orderOfParts(one: string, other: string): number {
  const areNumbers = [one, other].map((part) => /^\d+$/.test(part));
  if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
  if (areNumbers[0]) return Math.sign(Number(one) - Number(other));
  return one === other ? 0 : one < other ? -1 : 1;
}
