import { setImmediate } from 'node:timers/promises';
import { killTree } from '../engine/server/process/ends.js';
import { installGuard } from '../engine/server/process/guard.js';
import type { Host } from '../host.js';

/** Does work that may run code of an extension: what it prints goes to stderr, what it starts ends with the work. */
export async function guarded<T>({ stderr }: Host, work: () => Promise<T>): Promise<T> {
  const guard = installGuard({ stderr });
  try {
    return await work();
  } finally {
    await killTree({ spawned: guard.spawned });
    // What was printed last is still on its way through the stand-in of stdout.
    await setImmediate();
    guard.restore();
  }
}
