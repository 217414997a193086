import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { killTree, watchExit } from '../../engine/process/exit-watch.js';
import { installGuard } from '../../engine/process/install-guard.js';
import type { Host } from '../../host.js';
import { withProgress } from './progress.js';

/**
 * Runs work that may run code of an extension. Output of that code goes to stderr, and its child processes
 * end with the work. A signal to this process aborts the work, ends the child processes, and then exits with
 * the code of that signal.
 */
export async function runWithGuard<T>(
  { stderr }: Host,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const guard = installGuard({ stderr });
  const controller = new AbortController();
  const cleanUp = async () => {
    await killTree({ spawned: guard.spawned });
    // Flushes the output that the replacement of stdout still holds.
    await setImmediate();
  };
  const leave = async (reason: keyof typeof constants.signals): Promise<never> => {
    controller.abort();
    await cleanUp();
    return guard.exit(128 + constants.signals[reason]);
  };
  let leaving: Promise<never> | undefined;
  const stopWatching = watchExit({
    onEnd(reason) {
      // Unlike a server, a background command may outlive its shell.
      if (reason !== 'parent-gone') leaving ??= leave(reason);
    },
  });
  try {
    return await work(controller.signal);
  } finally {
    await cleanUp();
    await leaving;
    stopWatching();
    guard.restore();
  }
}

/** {@link runWithGuard} with a line of progress, as {@link withProgress} writes it. */
export async function runWithProgress<T>(
  host: Host,
  work: (signal: AbortSignal, tell: (text: string) => void) => Promise<T>,
): Promise<T> {
  return await runWithGuard(
    host,
    async (signal) => await withProgress(host, async (tell) => await work(signal, tell)),
  );
}
