import process from 'node:process';

type Listener = (...args: unknown[]) => unknown;

// Kept before extension code loads.
const PromiseOfNode = Promise;
const { then } = Promise.prototype;
const { apply } = Reflect;

const events = ['uncaughtException', 'unhandledRejection'] as const;

const own = new Map<string, readonly Listener[]>();
const tamed = new WeakSet<Listener>();

/** Remembers the listeners of this process for errors that no code catches. Call it before extension code loads. */
export function keepCrashListeners(): void {
  for (const event of events) own.set(event, listenersOf(event));
}

/**
 * Puts back listeners for errors that no code catches, and keeps those of extensions from ending the process: an error or
 * a rejection of theirs, or a call of `process.exit`, ends with the listener.
 */
export function tameCrashListeners(): void {
  for (const event of events) {
    const listeners = listenersOf(event);
    for (const listener of own.get(event) ?? []) {
      if (!listeners.includes(listener)) process.on(event as 'exit', listener);
    }
    for (const listener of listeners) {
      if (own.get(event)?.includes(listener) || tamed.has(listener)) continue;
      process.off(event as 'exit', listener);
      process.on(event as 'exit', tame(listener));
    }
  }
  if (process.hasUncaughtExceptionCaptureCallback()) process.setUncaughtExceptionCaptureCallback(null);
}

function listenersOf(event: string): readonly Listener[] {
  return process.listeners(event as 'exit') as unknown as readonly Listener[];
}

function tame(listener: Listener): Listener {
  const careful: Listener = (...args) => {
    try {
      const outcome = listener(...args);
      // A rejection would be another error for the listener, without end.
      if (outcome instanceof PromiseOfNode) void apply(then, outcome, [undefined, () => {}]);
    } catch {
      // The error that it was called for has been reported.
    }
  };
  tamed.add(careful);
  return careful;
}
