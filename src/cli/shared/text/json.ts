import { visibleJson } from '../../../engine/base/visible-text.js';

/**
 * JSON for other programs: indented, one newline at the end. Escapes the invisible characters that JSON
 * leaves as they are.
 */
export function renderJson(value: unknown): string {
  return visibleJson(`${JSON.stringify(value, null, 2)}\n`);
}
