import { visibleJson } from '../../engine/base/visible-text.js';

/** Data for other programs: indented, one newline at the end. What JSON would leave of unseen characters is escaped, too. */
export function renderJson(value: unknown): string {
  return visibleJson(`${JSON.stringify(value, null, 2)}\n`);
}
