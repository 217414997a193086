import { watchExit } from '../../engine/process/exit-watch.js';

/** A service that runs until it is closed. */
export interface Closeable {
  close(): Promise<void>;
}

/**
 * Opens a service and closes it when a signal arrives, its normal end. A signal during startup aborts the
 * startup.
 */
export async function untilSignal(open: (signal: AbortSignal) => Promise<Closeable>): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const stopWatching = watchExit({
    onEnd(reason) {
      // A background command may outlive its shell.
      if (reason !== 'parent-gone') controller.abort();
    },
  });
  try {
    const running = await open(signal);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await running.close();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopWatching();
  }
}
