import { isIP } from 'node:net';
import { InvalidArgumentError } from 'commander';

/** Collects values that may contain commas. */
export function collectVerbatim(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Collects comma-separated words after the words of earlier options. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, ...value.split(',').map((word) => word.trim())];
}

/** Parses the address to listen on. @throws InvalidArgumentError if it contains a scheme, port or path */
export function address(value: string): string {
  const bare = value.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) || /^[^\s:/]+$/.test(bare)) return bare;
  throw new InvalidArgumentError(
    'Expected an address of this machine without scheme and port, such as 127.0.0.1.',
  );
}

/** Parses the name of an environment variable. @throws InvalidArgumentError */
export function variableName(value: string): string {
  if (/^[^=\0\s]+$/.test(value)) return value;
  throw new InvalidArgumentError('Expected the name of an environment variable, such as TOKEN.');
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

/** @throws InvalidArgumentError */
export function positiveCount(value: string): number {
  return wholeNumber(value, { least: 1, most: 1000, what: 'a number' });
}

function wholeNumber(
  value: string,
  { least, most, what }: { readonly least: number; readonly most: number; readonly what: string },
): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= least && number <= most) return number;
  throw new InvalidArgumentError(`Expected ${what} from ${least} to ${most}.`);
}
