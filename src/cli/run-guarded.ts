import { constants } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { killTree, watchExit } from '../engine/process/exit-watch.js';
import { installGuard } from '../engine/process/install-guard.js';
import type { Host } from '../host.js';

/**
 * Does work that may run code of an extension: what it prints goes to stderr, what it starts ends with the work. A
 * signal from outside aborts the work's own and ends the process as that signal would have, after what it started.
 */
export async function runWithGuard<T>(
  { stderr }: Host,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const guard = installGuard({ stderr });
  const controller = new AbortController();
  const cleanUp = async () => {
    await killTree({ spawned: guard.spawned });
    // What was printed last is still on its way through the stand-in of stdout.
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
      // Unlike a server, a command in the background may outlive the shell that it was given to.
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
