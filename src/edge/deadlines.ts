/** A wait that can be called off. */
interface TimerWait {
  readonly at: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Timers overflow above this many milliseconds and would fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Waits, each on a timer of its own: where a platform ties timers to requests, one request must not wait on another's.
 * Stands for `engine/runtime/deadlines.ts`.
 */
export const deadlines = {
  add(ms: number, expire: () => void): TimerWait {
    const timer = setTimeout(expire, Math.min(Math.max(0, ms), longestTimer));
    return { at: performance.now() + ms, timer };
  },
  remove: ({ timer }: TimerWait): void => clearTimeout(timer),
} as const;
