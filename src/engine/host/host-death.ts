/** The end of an extension host. */
export interface HostDeath {
  readonly kind: 'unstartable' | 'exit' | 'signal' | 'memory' | 'fault' | 'killed';
  /** Completes a sentence about the host: `exited with code 7`. */
  readonly reason: string;
}

/** Exit as reported by the operating system. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Last text that the process printed. Undefined if unknown. */
  readonly printed: string | undefined;
}

/** Exit code of an aborted process if no signal is reported: 128 + SIGABRT. */
const abortCode = 134;

/** V8 prints one of these before it aborts: `JavaScript heap out of memory`, `Fatal process out of memory: Zone`. */
const outOfMemory = /(?:heap|process) out of memory/i;

/** Describes the exit of a host that ended by itself or from outside. */
export function describeExit({ code, signal, printed }: Exit): HostDeath {
  const isAborted = signal === 'SIGABRT' || code === abortCode;
  if (isAborted && printed !== undefined && outOfMemory.test(printed)) {
    return { kind: 'memory', reason: 'ran out of memory' };
  }
  if (isAborted && printed === undefined) {
    return { kind: 'memory', reason: 'was aborted, probably because it ran out of memory' };
  }
  if (signal !== null) return { kind: 'signal', reason: `was ended by ${signal}` };
  return { kind: 'exit', reason: `exited with code ${code}` };
}

/** Signals that users, service managers and the kernel send to end processes. */
const foreignSignals: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'];

/** True if another process may have ended the host. */
export function mayBeForeign({ kind, reason }: HostDeath): boolean {
  return kind === 'signal' && foreignSignals.some((signal) => reason.endsWith(` ${signal}`));
}
