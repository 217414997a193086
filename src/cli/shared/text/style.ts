import { Chalk, type ChalkInstance } from 'chalk';
import type { Severity } from '../../../engine/extension/diagnostics.js';

/** Permission to print ANSI colours. */
export interface ColorOption {
  readonly color: boolean;
}

const coloredChalk = new Chalk({ level: 1 });
const uncolored = new Chalk({ level: 0 });

/** At most sixteen colours, so that the user's own palette applies. */
export function styleFor({ color }: ColorOption): ChalkInstance {
  return color ? coloredChalk : uncolored;
}

/** Colour of each severity. */
export const paint = {
  error: (style) => style.red,
  warning: (style) => style.yellow,
  info: (style) => style.blue,
} as const satisfies Record<Severity, (style: ChalkInstance) => ChalkInstance>;

/** `1 error`, `2 errors` */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
