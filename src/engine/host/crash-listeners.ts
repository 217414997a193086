import process from 'node:process';

type CrashListener = (...args: unknown[]) => unknown;

// Kept before extension code loads.
const PromiseOfNode = Promise;
const { then } = Promise.prototype;
const { apply } = Reflect;

const events = ['uncaughtException', 'unhandledRejection'] as const;

const ownListeners = new Map<string, readonly CrashListener[]>();
const wrappedListeners = new WeakSet<CrashListener>();

/**
 * Records the `uncaughtException` and `unhandledRejection` listeners of this process. Call it before extension code
 * loads.
 */
export function keepCrashListeners(): void {
  for (const event of events) ownListeners.set(event, processListeners(event));
}

/**
 * Restores the listeners of AgentTools for uncaught errors, and keeps listeners of extensions from ending the process:
 * their errors and rejections, and calls of `process.exit`, are ignored.
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
      // An unhandled rejection would call the listener again, without end.
      if (outcome instanceof PromiseOfNode) void apply(then, outcome, [undefined, () => {}]);
    } catch {
      // The original error has been reported.
    }
  };
  wrappedListeners.add(careful);
  return careful;
}
