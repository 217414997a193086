import type { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { visibleText } from './visible-text.js';

/**
 * What tells on stderr. Errors quote what clients sent, from far away too: that shall neither steer a terminal nor pass for
 * something that was told by itself, so all but the first line of it is indented.
 */
export function reporterOn(stderr: Writable): (text: string) => void {
  return (text) => void stderr.write(`${visibleText(text).replaceAll('\n', '\n  ')}\n`);
}

/** Everything about what was thrown. Anything can be, also what throws when it is looked at. */
export function describeThrown(error: unknown): string {
  try {
    const words = error instanceof Error ? (error.stack ?? error.message) : error;
    return typeof words === 'string' ? words : inspect(words);
  } catch {
    return 'something that cannot be shown';
  }
}
