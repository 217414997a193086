/** A wait that can be removed. */
interface TimerWait {
  readonly at: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Timers overflow above this many milliseconds and would fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * One timer per wait. Some platforms tie timers to requests, so a request must not wait on the timer of
 * another. Replaces `engine/runtime/deadlines.ts`.
 */
export const deadlines = {
  add(ms: number, expire: () => void): TimerWait {
    const timer = setTimeout(expire, Math.min(Math.max(0, ms), longestTimer));
    return { at: performance.now() + ms, timer };
  },
  remove: ({ timer }: TimerWait): void => clearTimeout(timer),
} as const;
