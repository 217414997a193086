import { InvalidArgumentError } from 'commander';

/** Values that may hold commas. */
export function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Words between commas, those of earlier options before them. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, ...value.split(',')];
}

/** @throws InvalidArgumentError */
export function positiveSeconds(value: string): number {
  const seconds = Number(value);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new InvalidArgumentError('Expected a number of seconds above 0.');
}

/** @throws InvalidArgumentError */
export function pixels(value: string): number {
  return wholeNumber(value, { least: 16, most: 10_000, what: 'a number of pixels' });
}

/** @throws InvalidArgumentError */
export function portNumber(value: string): number {
  return wholeNumber(value, { least: 0, most: 65_535, what: 'a port' });
}

/** @throws InvalidArgumentError */
export function bytes(value: string): number {
  return wholeNumber(value, { least: 1, most: 2 ** 30, what: 'a number of bytes' });
}

function wholeNumber(
  value: string,
  { least, most, what }: { readonly least: number; readonly most: number; readonly what: string },
): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(`Expected ${what} from ${least} to ${most}.`);
}
