/** Waits for work, at most `ms` milliseconds and until the signal aborts. */
export async function waitAtMost(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<void> {
  let stop = () => {};
  const over = new Promise<void>((resolve) => {
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(stop, Math.max(0, ms));
    signal?.addEventListener('abort', stop);
  });
  if (!signal?.aborted) await Promise.race([work, over]);
  stop();
}
