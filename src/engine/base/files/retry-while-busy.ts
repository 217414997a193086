import { platform } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * On Windows, a file that another program has open cannot be replaced or removed, usually only for a moment.
 */
const transientCodes = platform() === 'win32' ? ['EBUSY', 'EPERM', 'EACCES'] : ['EBUSY'];

const pauses = [10, 30, 90, 270];

/** Runs an action on a file, and retries a few times while the file is in use. */
export async function retryWhileBusy<T>(action: () => Promise<T>): Promise<T> {
  for (const pause of pauses) {
    try {
      return await action();
    } catch (error) {
      if (!transientCodes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await delay(pause);
    }
  }
  return await action();
}
