import { visibleLine } from '../base/visible-text.js';

/** Visible text in one line. */
export function oneLine(text: string): string {
  return visibleLine(text.replace(/\s+/g, ' ').trim());
}
