import process from 'node:process';

type CrashListener = (...args: unknown[]) => unknown;

// Kept before extension code loads.
const PromiseOfNode = Promise;
const { then } = Promise.prototype;
const { apply } = Reflect;

const events = ['uncaughtException', 'unhandledRejection'] as const;

const ownListeners = new Map<string, readonly CrashListener[]>();
const wrappedListeners = new WeakSet<CrashListener>();

/** Remembers the listeners of this process for errors that no code catches. Call it before extension code loads. */
export function keepCrashListeners(): void {
  for (const event of events) ownListeners.set(event, processListeners(event));
}

/**
 * Puts back listeners for errors that no code catches, and keeps those of extensions from ending the process: an error or
 * a rejection of theirs, or a call of `process.exit`, ends with the listener.
 */
export function tameCrashListeners(): void {
  for (const event of events) {
    const listeners = processListeners(event);
    for (const listener of ownListeners.get(event) ?? []) {
      if (!listeners.includes(listener)) process.on(event as 'exit', listener);
    }
    for (const listener of listeners) {
      if (ownListeners.get(event)?.includes(listener) || wrappedListeners.has(listener)) continue;
      process.off(event as 'exit', listener);
      process.on(event as 'exit', tame(listener));
    }
  }
  if (process.hasUncaughtExceptionCaptureCallback()) process.setUncaughtExceptionCaptureCallback(null);
}

function processListeners(event: string): readonly CrashListener[] {
  return process.listeners(event as 'exit') as unknown as readonly CrashListener[];
}

function tame(listener: CrashListener): CrashListener {
  const careful: CrashListener = (...args) => {
    try {
      const outcome = listener(...args);
      // A rejection would be another error for the listener, without end.
      if (outcome instanceof PromiseOfNode) void apply(then, outcome, [undefined, () => {}]);
    } catch {
      // The error that it was called for has been reported.
    }
  };
  wrappedListeners.add(careful);
  return careful;
}
