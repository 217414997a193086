import type { Session } from '../items/context.js';
import { describePlainFault, plainData } from '../plain-data.js';

/**
 * Opens the session of one connection. Values are kept as JSON text, so that no code shares them, and never sent to
 * clients. `kept` are texts of before; `onSet` learns of every change.
 */
export function openSession(
  kept: Readonly<Record<string, string>> = {},
  onSet: (key: string, text: string | undefined) => void = () => {},
): Session {
  const texts = new Map(Object.entries(kept));
  return {
    get(key) {
      const text = texts.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    set(key, value) {
      if (typeof key !== 'string') throw new TypeError('A key of ctx.session must be a string.');
      const text = value === undefined ? undefined : textOf(key, value);
      if (text === undefined) texts.delete(key);
      else texts.set(key, text);
      onSet(key, text);
    },
  };
}

/** @throws TypeError if a part of the value has no plain form */
function textOf(key: string, value: unknown): string {
  const { value: copy, faults } = plainData(value);
  const [fault] = faults;
  if (!fault) return JSON.stringify(copy);
  const reason = describePlainFault(fault, 'the value');
  throw new TypeError(`ctx.session cannot keep "${key}": ${reason}. Set data that JSON can hold.`);
}
