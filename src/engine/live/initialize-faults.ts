import { toOneLine } from '../base/to-one-line.js';

/** Variable of a server that is started to check it: its `initialize` hooks run before the first list, within these milliseconds. */
export const initializeVariable = 'AGENTTOOLS_INITIALIZE_WITHIN';

/** A failed or slow `initialize` hook. */
export interface InitializeFault {
  readonly kind: 'server' | 'tool';
  /** Qualified name. */
  readonly item: string;
  readonly reason: string;
  /** True if the hook did not end in time, which is no failure. */
  readonly isLate: boolean;
}

/** Formats the stderr line for a fault. {@link parseInitializeFaults} finds such lines. */
export function initializeLine({ kind, item, reason, isLate }: InitializeFault): string {
  return `"initialize" of the ${kind} ${item} ${isLate ? 'is slow' : 'failed'}: ${toOneLine(reason)}`;
}

const lines = /^"initialize" of the (server|tool) (\S+) (is slow|failed): (.*)$/gm;

/** Returns the faults in stderr. */
export function parseInitializeFaults(stderr: string): readonly InitializeFault[] {
  return [...stderr.matchAll(lines)].map(([, kind, item, how, reason]) => ({
    kind: kind as InitializeFault['kind'],
    item: item!,
    reason: reason!,
    isLate: how === 'is slow',
  }));
}
