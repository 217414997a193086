import { decodeUriText } from '../base/text-codecs.js';

export type AcceptsUnit = (unit: string) => boolean;

/** Pattern of a URI. A unit is a character, or the percent-encoded form of one. */
export type UriPattern<V> =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'all'; readonly of: readonly UriPattern<V>[] }
  /** The first alternative if the rest of the URI matches after it. */
  | { readonly is: 'either'; readonly first: UriPattern<V>; readonly second: UriPattern<V> }
  /** One or more repetitions. Begins with text. */
  | { readonly is: 'many'; readonly of: UriPattern<V> }
  /** As many units as possible, provided that the rest of the URI matches. */
  | {
      readonly is: 'value';
      readonly of: V;
      readonly takes: AcceptsUnit;
      readonly least: number;
      readonly most: number;
    };

export const literalPattern = (literal: string): UriPattern<never> => ({ is: 'text', text: literal });
export const sequencePattern = <V>(...of: readonly UriPattern<V>[]): UriPattern<V> => ({ is: 'all', of });
export const eitherPattern = <V>(first: UriPattern<V>, second: UriPattern<V>): UriPattern<V> => ({
  is: 'either',
  first,
  second,
});
export const maybe = <V>(of: UriPattern<V>): UriPattern<V> => eitherPattern(of, sequencePattern());
export const many = <V>(of: UriPattern<V>): UriPattern<V> => ({ is: 'many', of });

/** Returns the values in a URI, in order and not decoded; undefined if the URI does not match. */
export type UriMatcher<V> = (uri: string) => readonly (readonly [of: V, text: string])[] | undefined;

/**
 * One step of a match: take a unit, choose one of two next steps, or record the start or end of a value.
 * Backward choices lead to `take`.
 */
type MatchStep<V> =
  | { readonly does: 'take'; readonly takes: AcceptsUnit }
  | { readonly does: 'choose'; first: number; second: number }
  | { readonly does: 'begin' }
  | { readonly does: 'end'; readonly of: V };

/** Most steps of a pattern. Handwritten patterns need fewer. */
const maxPatternSteps = 20_000;

/** Largest size of the match table (steps × units), in bytes. Longer URIs do not match. */
const maxRoom = 1 << 24;

/**
 * Compiles a pattern; undefined if it is too long. For a given pattern, match time is linear in the length of
 * the URI.
 */
export function compileMatcher<V>(pattern: UriPattern<V>): UriMatcher<V> | undefined {
  const steps: MatchStep<V>[] = [];
  compilePattern(pattern, steps);
  if (steps.length > maxPatternSteps) return undefined;
  return (uri) => {
    const room = (steps.length + 1) * (uri.length + 1);
    return room > maxRoom ? undefined : matchUnits(steps, splitUnits(uri));
  };
}

function compilePattern<V>(pattern: UriPattern<V>, steps: MatchStep<V>[]): void {
  if (steps.length > maxPatternSteps) return;
  switch (pattern.is) {
    case 'text':
      for (const wanted of splitUnits(pattern.text).map(normal))
        steps.push({ does: 'take', takes: (unit) => normal(unit) === wanted });
      break;
    case 'all':
      for (const one of pattern.of) compilePattern(one, steps);
      break;
    case 'either':
      appendEither(pattern, steps);
      break;
    case 'many': {
      const start = steps.length;
      compilePattern(pattern.of, steps);
      steps.push({ does: 'choose', first: start, second: steps.length + 1 });
      break;
    }
    default:
      steps.push({ does: 'begin' });
      appendRun(pattern, steps);
      steps.push({ does: 'end', of: pattern.of });
  }
}

function appendEither<V>(
  { first, second }: Extract<UriPattern<V>, { is: 'either' }>,
  steps: MatchStep<V>[],
): void {
  const choice = { does: 'choose' as const, first: steps.length + 1, second: 0 };
  steps.push(choice);
  compilePattern(first, steps);
  // Both choices skip the second alternative.
  const leap = { does: 'choose' as const, first: 0, second: 0 };
  steps.push(leap);
  choice.second = steps.length;
  compilePattern(second, steps);
  leap.first = steps.length;
  leap.second = steps.length;
}

function appendRun<V>(
  { takes, least, most }: Extract<UriPattern<V>, { is: 'value' }>,
  steps: MatchStep<V>[],
): void {
  const take = { does: 'take', takes } as const;
  if (most === Infinity) {
    const start = steps.length + (least === 0 ? 1 : 0);
    if (least === 0) steps.push({ does: 'choose', first: start, second: start + 2 });
    steps.push(take, { does: 'choose', first: start, second: start + 2 });
    return;
  }
  for (let count = 1; count <= most; count += 1) {
    const next = steps.length + 1;
    if (count > least) steps.push({ does: 'choose', first: next, second: next + 1 });
    steps.push(take);
  }
}

const unitPattern = /%[C-Fc-f][\dA-Fa-f](?:%[89ABab][\dA-Fa-f])+|%[\dA-Fa-f]{2}|[\s\S]/gu;

function splitUnits(uri: string): readonly string[] {
  return uri.match(unitPattern) ?? [];
}

/**
 * Normalizes a unit for comparison. Only reserved characters change their meaning when encoded.
 * @see RFC 3986, 6.2.2
 */
function normal(unit: string): string {
  if (unit.length === 1 || !unit.startsWith('%')) return unit;
  const character = decodeUriText(unit);
  return /^[\w.~-]$|^[^\0-\x7f]/.test(character) ? character : unit.toUpperCase();
}

/** Computes backwards the steps that can reach the end, then walks forwards. */
function matchUnits<V>(steps: readonly MatchStep<V>[], units: readonly string[]): ReturnType<UriMatcher<V>> {
  const width = steps.length + 1;
  const leads = new Uint8Array(width * (units.length + 1));
  leads[units.length * width + steps.length] = 1;
  for (let at = units.length; at >= 0; at -= 1) {
    const here = at * width;
    const unit = units[at];
    for (let index = 0; unit !== undefined && index < steps.length; index += 1) {
      const step = steps[index]!;
      if (step.does !== 'take' || !leads[here + width + index + 1]) continue;
      if (step.takes(unit)) leads[here + index] = 1;
    }
    for (let index = steps.length - 1; index >= 0; index -= 1) {
      const step = steps[index]!;
      if (step.does === 'take') continue;
      const onward =
        step.does === 'choose'
          ? leads[here + step.first] || leads[here + step.second]
          : leads[here + index + 1];
      if (onward) leads[here + index] = 1;
    }
  }
  return leads[0] ? walk(steps, units, (index, at) => leads[at * width + index] === 1) : undefined;
}

function walk<V>(
  steps: readonly MatchStep<V>[],
  units: readonly string[],
  leads: (index: number, at: number) => boolean,
): readonly (readonly [V, string])[] {
  const noted: [V, string][] = [];
  let at = 0;
  let start = 0;
  for (let index = 0; index < steps.length; ) {
    const step = steps[index]!;
    if (step.does === 'choose') {
      index = leads(step.first, at) ? step.first : step.second;
      continue;
    }
    if (step.does === 'take') at += 1;
    else if (step.does === 'begin') start = at;
    else noted.push([step.of, units.slice(start, at).join('')]);
    index += 1;
  }
  return noted;
}
