import { AgentToolsError } from '../base/errors.js';
import { isObjectName } from '../base/reserved-names.js';
import type { WritableClient } from './client.js';

/** What fits into every syntax and most file names. */
const general = {
  pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/,
  takes: 'up to 64 letters, digits, "_", "." and "-", the first no "." or "-"',
};

/** The key a server gets that was given none. */
const fallback = 'server';

const maxDerived = 30;

/** A key that would lead out of a folder, were it ever made part of a path. */
const pathTraversal = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)|^\./;

/** @throws AgentToolsError if a client does not take a key, naming its rule and a key that would do. */
export function checkKey(client: WritableClient, key: string): void {
  const fault = keyFault(client, key);
  if (fault === undefined) return;
  const suggestions = [deriveKey(key), `${deriveKey(key).slice(0, maxDerived - 4)}-mcp`];
  const fitting = suggestions.find((one) => keyFault(client, one) === undefined) ?? fallback;
  throw new AgentToolsError('refused', `${fault} This would do: --name ${fitting}`);
}

/** Why a client does not take a key, in a sentence; undefined if it does. */
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

/** A key as its author wrote it, where the client takes that; else one made of it. */
export function writtenKey(client: Pick<WritableClient, 'name' | 'keys'>, key: string): string {
  return keyFault(client, key) === undefined ? key : deriveKey(key);
}

/** A key that every client takes, made of any text: `@acme/weather` → `acme-weather`. */
export function deriveKey(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== '');
  const joined = words.join('-') || fallback;
  const key = /^[a-z]/.test(joined) ? joined : `${fallback}-${joined}`;
  const short = key.slice(0, maxDerived).replace(/-$/, '');
  return isObjectName(short) ? `${fallback}-${short}` : short;
}
