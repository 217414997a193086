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
