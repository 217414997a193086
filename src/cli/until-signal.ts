import { watchExit } from '../engine/process/exit-watch.js';

/** What runs until it is closed. */
export interface Closeable {
  close(): Promise<void>;
}

/**
 * Opens something, and closes it when a signal from outside comes, which is how it is meant to end. A signal that comes
 * while it opens aborts that.
 */
export async function untilSignal(open: (signal: AbortSignal) => Promise<Closeable>): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const stopWatching = watchExit({
    onEnd(reason) {
      // A command in the background may outlive the shell that it was given to.
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
