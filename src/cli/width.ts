import type { Host } from '../host.js';

/** How many columns a terminal has; 80 for anything else. */
export function widthOf(output: Host['stdout']): number {
  return 'columns' in output && typeof output.columns === 'number' ? output.columns : 80;
}
