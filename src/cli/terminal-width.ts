import type { Host } from '../host.js';

/** How many columns a terminal has; 80 for anything else. */
export function terminalWidth(output: Host['stdout']): number {
  const columns = 'columns' in output ? output.columns : undefined;
  // Some terminals say that they have none.
  return typeof columns === 'number' && columns > 0 ? columns : 80;
}
