import { visibleMessage } from '../../engine/base/visible-text.js';
import type { Host } from '../../host.js';

/** Writes a line to stderr that informs the user and changes no exit code. */
export function writeNote({ stderr }: Pick<Host, 'stderr'>, text: string): void {
  stderr.write(`note: ${visibleMessage(text)}\n`);
}
