/** Work that did not end in time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Runs work with a signal that aborts when its time is up or the outer signal aborts. Code that blocks the thread is
 * not interrupted.
 * @throws TimeoutError, or whatever the work throws.
 */
export async function withTimeLimit<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<T> {
  const controller = new AbortController();
  const forward = () => controller.abort(signal.reason);
  if (signal.aborted) forward();
  else signal.addEventListener('abort', forward, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        const error = new TimeoutError(`no answer within ${timeoutMs / 1000} s`);
        controller.abort(error);
        reject(error);
      },
      Math.min(timeoutMs, longestTimer),
    );
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  }
}

/** Node's timers overflow above this many milliseconds and would fire at once. */
const longestTimer = 2 ** 31 - 1;
