/** The parts of a request that its progress needs. */
export interface ProgressRequest {
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly isOver: boolean;
  readonly lastProgress?: number | undefined;
  notify(notification: {
    readonly method: string;
    readonly params: Readonly<Record<string, unknown>>;
  }): Promise<void>;
}

/** Messages within the time limit of a client: users can shorten the limit. */
const messagesPerLimit = 15;

/**
 * Sends progress while a call sends none, so that the client does not end the call. Returns the function that ends it.
 * @param limitMs time without progress after which the client ends calls
 */
export function keepAlive(request: ProgressRequest, limitMs: number): () => void {
  let seen = request.lastProgress;
  const tick = () => {
    const { lastProgress, meta, isOver } = request;
    if (isOver) clearInterval(timer);
    else if (lastProgress === seen) {
      const params = { progressToken: meta?.progressToken, progress: nextProgress(lastProgress) };
      request.notify({ method: 'notifications/progress', params }).catch(() => {});
    }
    seen = request.lastProgress;
  };
  const timer = setInterval(tick, limitMs / messagesPerLimit);
  timer.unref();
  tick();
  return () => clearInterval(timer);
}

/** Share of a value that is added to it: the next value of a tool is larger. */
const smallStep = 1e-6;

function nextProgress(last: number | undefined): number {
  return last === undefined ? 0 : last + smallStep * Math.max(1, Math.abs(last));
}
