import { inspect, types } from 'node:util';

/** Longest text that is taken from a thrown value, in characters. */
const maxThrownTextLength = 100_000;

/**
 * Text of an unknown thrown value. Never throws. Accepts errors of other realms and plain objects with a
 * message.
 */
export function errorMessage(thrown: unknown): string {
  if (!isObject(thrown)) return truncate(String(thrown));
  try {
    const { message } = thrown;
    if (typeof message === 'string') return truncate(message);
  } catch {
    // The error of the getter is irrelevant.
  }
  return inspectValue(thrown);
}

/** Value as Node prints it. Runs no code of the value, except code that evades inspection. Never throws. */
export function inspectValue(value: unknown): string {
  try {
    return truncate(inspect(value, { customInspect: false }));
  } catch {
    return 'a value without text';
  }
}

/** Stack of a thrown error, otherwise its text. Never throws. */
export function errorStack(thrown: unknown): string {
  try {
    const stack = isObject(thrown) && thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === 'string' ? truncate(stack) : errorMessage(thrown);
  } catch {
    return errorMessage(thrown);
  }
}

/**
 * Returns a thrown value for which `instanceof` and property checks never throw: the value itself, or an
 * error with its text if a Proxy is involved.
 */
export function safelyThrown(thrown: unknown): unknown {
  if (!isObject(thrown)) return thrown;
  try {
    for (let at: object | null = thrown; at !== null; at = Object.getPrototypeOf(at)) {
      if (types.isProxy(at)) return new Error(errorMessage(thrown));
    }
    return thrown;
  } catch {
    return new Error(errorMessage(thrown));
  }
}

function isObject(value: unknown): value is { readonly message?: unknown } {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function truncate(text: string): string {
  return text.slice(0, maxThrownTextLength);
}
