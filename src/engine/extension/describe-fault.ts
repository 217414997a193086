import { didYouMean } from '../base/did-you-mean.js';
import type { ShapeFault } from './check-shape.js';

/** True if a fault prevents an item from being served. Unknown keys do not. */
export function isSerious({ problem }: ShapeFault): boolean {
  return problem !== 'unknown';
}

/** Returns the message of a fault. The first argument names the item, as in `Tool "forecast"`. */
export function describeFault(what: string, { path, problem, expected, known }: ShapeFault): string {
  const key = path.length === 0 ? '' : ` "${path.join('.')}"`;
  switch (problem) {
    case 'missing':
      return `${what} has no${key || ' value'}. Expected ${expected}.`;
    case 'unknown': {
      const meant = didYouMean(String(path.at(-1)), known ?? []);
      const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
      return `${what} has an unknown key${key}.${hint} Known keys: ${known?.join(', ')}.`;
    }
    default:
      return `${what} has an unusable${key}. Expected ${expected}.`;
  }
}
