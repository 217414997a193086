import { describePlainFault, plainData } from '../base/plain-data.js';
import type { Session } from '../runtime/context.js';

/** Longest JSON text of all values of a session, in characters. */
const maxLength = 16 * 1024 * 1024;

/**
 * Opens the session of one connection. Stores values as JSON text, so that code never shares them, and never sends them
 * to clients. `kept`: texts from an earlier host. `onSet` is called with every change.
 */
export function openSession(
  kept: Readonly<Record<string, string>> = {},
  onSet: (key: string, text: string | undefined) => void = () => {},
): Session {
  const texts = new Map(Object.entries(kept));
  let length = 0;
  for (const text of texts.values()) length += text.length;
  return {
    get(key) {
      const text = texts.get(key);
      return text === undefined ? undefined : JSON.parse(text);
    },
    set(key, value) {
      if (typeof key !== 'string') throw new TypeError('A key of ctx.session must be a string.');
      const text = value === undefined ? undefined : serializeSessionValue(key, value);
      const added = (text?.length ?? 0) - (texts.get(key)?.length ?? 0);
      if (added > 0 && length + added > maxLength) throw tooLong(key);
      length += added;
      if (text === undefined) texts.delete(key);
      else texts.set(key, text);
      onSet(key, text);
    },
  };
}

function tooLong(key: string): RangeError {
  return new RangeError(
    `ctx.session cannot keep "${key}": the session would be longer than ${maxLength} characters of JSON. Keep less, or use a file.`,
  );
}

/** @throws TypeError if a part of the value has no plain form */
function serializeSessionValue(key: string, value: unknown): string {
  const { value: copy, faults } = plainData(value);
  const [fault] = faults;
  if (!fault) return JSON.stringify(copy);
  const reason = describePlainFault(fault, 'the value');
  throw new TypeError(`ctx.session cannot keep "${key}": ${reason}. Set data that JSON can hold.`);
}
