import { visibleMessage } from './visible-text.js';

/** A message as one line of stderr: what an extension or a registry said may be several, and may hold anything. */
export function toOneLine(message: string): string {
  return visibleMessage(message);
}
