import type { Host } from '../../host.js';

/** Columns of a terminal; 80 for any other output. */
export function terminalWidth(output: Host['stdout']): number {
  const columns = 'columns' in output ? output.columns : undefined;
  // Some terminals report zero columns.
  return typeof columns === 'number' && columns > 0 ? columns : 80;
}
