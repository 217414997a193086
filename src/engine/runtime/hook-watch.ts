/** Takes part in every run of a hook, where hooks are watched from outside. */
export interface HookWatch {
  /**
   * Begins a run. `limitMs`: how long it may take. The returned function ends the run.
   * @throws Error if the hook is left out
   */
  enter(hook: string, limitMs: number): () => void;
}

/** The hook `initialize` of a server. */
export const initializeHook = 'initialize';

/** Runs a hook under a watch, if there is one. */
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
