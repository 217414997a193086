/** Observes every run of a hook, so that another process can stop a hook that blocks. */
export interface HookWatch {
  /**
   * Begins a run that may take `limitMs` milliseconds. The returned function ends the run.
   * @throws Error if the hook is excluded
   */
  enter(hook: string, limitMs: number): () => void;
}

/** Name of a server's `initialize` hook. */
export const initializeHook = 'initialize';

/** Runs a hook, observed by a watch if there is one. */
export async function watched<T>(
  watch: HookWatch | undefined,
  { hook, limitMs }: { readonly hook: string; readonly limitMs: number },
  run: () => T | Promise<T>,
): Promise<T> {
  const leave = watch?.enter(hook, limitMs);
  try {
    return await run();
  } finally {
    leave?.();
  }
}
