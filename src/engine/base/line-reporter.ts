import type { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { visibleText } from './visible-text.js';

/**
 * Returns a function that prints reports to stderr. Errors quote text of remote clients, which must neither
 * control a terminal nor look like a separate report. So invisible characters are escaped, and all lines but
 * the first are indented.
 */
export function reporterOn(stderr: Writable): (text: string) => void {
  return (text) => void stderr.write(`${visibleText(text).replaceAll('\n', '\n  ')}\n`);
}

/** Stack or text of any thrown value, including values that throw on inspection. */
export function describeThrown(error: unknown): string {
  try {
    const words = error instanceof Error ? (error.stack ?? error.message) : error;
    return typeof words === 'string' ? words : inspect(words);
  } catch {
    return 'something that cannot be shown';
  }
}
