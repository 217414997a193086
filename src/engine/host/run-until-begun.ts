import { NeverBegunError } from './host-error.js';

/** Most hosts that may end before they begin a call. */
const maxBeginnings = 3;

/** Largest share of its time limit that a call may lose in hosts that did not begin it. */
const maxWaitShare = 0.5;

interface BeginningOptions {
  /** Time limit of the call, in milliseconds. */
  readonly timeoutMs: number;
  /** True if no further host can get the call. */
  readonly isClosed: () => boolean;
}

/**
 * Gives a call to one host after the other until one begins it. `attempt` resolves with the function that runs the call,
 * which takes the milliseconds that the call has waited.
 * @throws NeverBegunError of the third host; any other error of the call
 */
export async function runUntilBegun<T>(
  attempt: () => Promise<(passedMs: number) => Promise<T>>,
  { timeoutMs, isClosed }: BeginningOptions,
): Promise<T> {
  let start: number | undefined;
  for (let beginning = 1; ; beginning += 1) {
    const run = await attempt();
    start ??= performance.now();
    try {
      return await run(Math.min(performance.now() - start, timeoutMs * maxWaitShare));
    } catch (error) {
      if (!(error instanceof NeverBegunError) || beginning === maxBeginnings || isClosed()) throw error;
    }
  }
}
