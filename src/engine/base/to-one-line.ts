import { visibleMessage } from './visible-text.js';

/**
 * Message as one line of stderr. Messages of extensions and registries may contain line breaks and control
 * characters.
 */
export function toOneLine(message: string): string {
  return visibleMessage(message);
}
