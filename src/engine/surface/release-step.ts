/** Parts of a version number that a change increases. @see Semantic Versioning 2.0.0 */
export type ReleaseStep = 'major' | 'minor' | 'patch';

/** Steps, the greatest first. */
const releaseSteps: readonly ReleaseStep[] = ['major', 'minor', 'patch'];

/** The greatest of some steps; undefined without any. */
export function greatestStep(steps: Iterable<ReleaseStep>): ReleaseStep | undefined {
  const found = new Set(steps);
  return releaseSteps.find((step) => found.has(step));
}

/**
 * The step from one version to another. Below 1.0.0, the first number above zero counts as the major one, as in the caret
 * ranges of npm. Undefined if the other version is not later, or one of them is no version.
 */
export function stepBetween(before: string, after: string): ReleaseStep | undefined {
  const [one, other] = [numbersOf(before), numbersOf(after)];
  if (!one || !other) return undefined;
  const changed = one.findIndex((number, index) => number !== other[index]);
  if (changed === -1) {
    // A prerelease precedes its release.
    const isReleased = before.includes('-') && !after.includes('-');
    return isReleased || (before.includes('-') && before !== after) ? 'major' : undefined;
  }
  if (other[changed]! < one[changed]!) return undefined;
  const first = one.findIndex((number) => number > 0);
  if (first === -1 || changed <= first) return 'major';
  // `^0.1.2` has no minor step: its patches add features, too.
  if (first === 1) return 'minor';
  return changed === 1 ? 'minor' : 'patch';
}

/** The least version after another one with a step. */
export function versionAfter(version: string, step: ReleaseStep): string {
  const numbers = numbersOf(version) ?? [0, 0, 0];
  const first = numbers.findIndex((number) => number > 0);
  const major = first === -1 ? 2 : first;
  const at = step === 'major' ? major : step === 'minor' && major === 0 ? 1 : 2;
  return numbers.map((number, index) => (index < at ? number : index === at ? number + 1 : 0)).join('.');
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, ...numbers] = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(version.trim()) ?? [];
  return numbers.length === 0 ? undefined : numbers.map(Number);
}
