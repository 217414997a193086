import { createHash } from 'node:crypto';
import { plainName } from '../compatibility/surface-checks.js';

const hashLength = 8;

/**
 * Returns another name for a tool, in letters, digits, `_` and `-`. It depends on the name and the length only, so it stays the
 * same across restarts and changes of the list. Different names have different aliases.
 * @param maxLength most characters, at least 16
 */
export function toolAlias(name: string, maxLength: number): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  const kept = plainName(name).slice(0, Math.max(maxLength, 16) - hashLength - 1);
  return `${kept.replace(/_+$/, '')}_${hash}`;
}
