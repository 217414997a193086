import { visibleText } from '../../engine/visible-text.js';

/** Data for other programs: indented, one newline at the end. What JSON would leave of control characters is escaped, too. */
export function renderJson(value: unknown): string {
  return visibleText(`${JSON.stringify(value, null, 2)}\n`);
}
