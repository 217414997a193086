import type { Session } from '../items/context.js';

/** Opens what one connection keeps for its handlers until it ends. Nothing of it is ever sent. */
export function openSession(): Session {
  const values = new Map<string, unknown>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
  };
}
