import { AgentToolsError } from '../base/errors.js';
import { isObjectName } from '../base/reserved-names.js';
import type { WritableClient } from './client.js';

/** Rule for keys that suit every syntax and most file names. */
const general = {
  pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/,
  takes: 'up to 64 letters, digits, "_", "." and "-", the first not "." or "-"',
};

/** Default key, and prefix of keys that would not begin with a letter. */
const fallback = 'server';

const maxDerived = 30;

/** Matches keys that would lead out of a folder if they became part of a path. */
const pathTraversal = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)|^\./;

/**
 * Checks a key for a client.
 * @throws AgentToolsError with the client's rule and an accepted key if the client does not accept the key.
 */
export function checkKey(client: WritableClient, key: string): void {
  const fault = keyFault(client, key);
  if (fault === undefined) return;
  const suggestions = [deriveKey(key), `${deriveKey(key).slice(0, maxDerived - 4)}-mcp`];
  const fitting = suggestions.find((one) => keyFault(client, one) === undefined) ?? fallback;
  throw new AgentToolsError('refused', `${fault} Use for example --name ${fitting}`);
}

/** Reason why a client does not accept a key, in a sentence; undefined if it does. */
export function keyFault(
  { name, keys = {} }: Pick<WritableClient, 'name' | 'keys'>,
  key: string,
): string | undefined {
  const { pattern, takes } = { ...general, ...keys };
  if (isObjectName(key))
    return `"${key}" cannot be the key of an entry: programs in JavaScript would misread it.`;
  if (pathTraversal.test(key)) return `"${key}" cannot be the key of an entry: it reads like a path.`;
  if (!pattern.test(key)) return `"${key}" cannot be the key of an entry: ${name} takes ${takes}.`;
  if (keys.reserved?.includes(key))
    return `"${key}" cannot be the key of an entry: it means something else to ${name}.`;
  return undefined;
}

/** Returns the author's key if the client accepts it; else a key derived from it. */
export function writtenKey(client: Pick<WritableClient, 'name' | 'keys'>, key: string): string {
  return keyFault(client, key) === undefined ? key : deriveKey(key);
}

/** Derives a key that every client accepts from any text: `@acme/weather` → `acme-weather`. */
export function deriveKey(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== '');
  const joined = words.join('-') || fallback;
  const key = /^[a-z]/.test(joined) ? joined : `${fallback}-${joined}`;
  const short = key.slice(0, maxDerived).replace(/-$/, '');
  return isObjectName(short) ? `${fallback}-${short}` : short;
}
