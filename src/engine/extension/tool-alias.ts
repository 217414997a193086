import { createHash } from 'node:crypto';

/**
 * Returns another name for a tool, in letters, digits, `_` and `-`. It depends on the name and the lengths only, so it stays the
 * same across restarts and changes of the list. Different names have different aliases.
 * @param maxLength most characters, at least 16
 * @param hashLength digits of the hash of the name
 */
export function toolAlias(name: string, maxLength: number, hashLength = 8): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  const kept = plainName(name).slice(0, Math.max(maxLength, 16) - hashLength - 1);
  return `${kept.replace(/_+$/, '')}_${hash}`;
}

/** The name in the characters that all clients and APIs accept. */
export function plainName(name: string): string {
  const plain = name.normalize('NFKD').replace(/[^A-Za-z0-9_-]+/g, '_');
  return /^[A-Za-z]/.test(plain) ? plain : `tool_${plain.replace(/^_+/, '')}`;
}
