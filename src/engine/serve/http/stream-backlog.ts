/** Most unread bytes of a stream, give or take one message. */
const maxUnread = 1024 * 1024;

/**
 * Policy for a stream with a slow reader. `end`: it ends after its unread data, and the client resumes it or opens
 * another. `skip`: only the latest message is kept; the last one is always the response of the call.
 */
export type BackpressurePolicy = 'end' | 'skip';

/** True for an event stream, which may stay open without a limit. */
export function isStream({ body, headers }: Response): boolean {
  return body !== null && (headers.get('content-type') ?? '').startsWith('text/event-stream');
}

/**
 * Limits the unread data of a response. `farewell` returns the final bytes of the stream; undefined if it needs none.
 */
export function limitBacklog(
  response: Response,
  whenBehind: BackpressurePolicy,
  farewell?: () => Uint8Array | undefined,
): Response {
  if (!isStream(response)) return response;
  const { status, statusText, headers } = response;
  const watch = new StreamWatch();
  const body = watch.over(response.body!, whenBehind, farewell);
  const answer = new Response(body, { status, statusText, headers });
  watches.set(answer, watch);
  return answer;
}

/** Calls `done` once, at the end of a response, at the latest when the signal aborts. */
export function onStreamEnd(response: Response, done: () => void, signal?: AbortSignal): Response {
  const watch = watches.get(response);
  if (!watch) {
    if (isStream(response)) return onStreamEnd(limitBacklog(response, 'end'), done, signal);
    done();
    return response;
  }
  watch.add(done);
  if (signal?.aborted) watch.end();
  signal?.addEventListener('abort', () => watch.end());
  return response;
}

const watches = new WeakMap<Response, StreamWatch>();

/** Forwards a stream and reports its end. */
class StreamWatch {
  /** Callbacks for the end; undefined after it. */
  #waiting: (() => void)[] | undefined = [];
  #end: () => void = () => {};

  add(done: () => void): void {
    if (this.#waiting) this.#waiting.push(done);
    else done();
  }

  /** Ends the stream after the data that it has. */
  end(): void {
    if (this.#finish()) this.#end();
  }

  over(
    source: ReadableStream<Uint8Array>,
    whenBehind: BackpressurePolicy,
    farewell: () => Uint8Array | undefined = () => undefined,
  ): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    const close = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const last = farewell();
      if (last) controller.enqueue(last);
      controller.close();
    };
    const leave = () => void reader.cancel().catch(() => {});
    let latest: Uint8Array | undefined;
    const forward = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (!this.#waiting) return;
        if (latest === undefined && controller.desiredSize! > 0) {
          controller.enqueue(next.value);
        } else if (whenBehind === 'skip') {
          latest = next.value;
        } else {
          leave();
          break;
        }
      }
      if (!this.#finish()) return;
      if (latest) controller.enqueue(latest);
      close(controller);
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#end = () => {
            leave();
            close(controller);
          };
          forward(controller).catch((error: unknown) => {
            if (this.#finish()) controller.error(error);
          });
        },
        pull(controller) {
          if (latest === undefined) return;
          controller.enqueue(latest);
          latest = undefined;
        },
        cancel: () => {
          this.#finish();
          leave();
        },
      },
      { highWaterMark: maxUnread, size: (chunk) => chunk.byteLength },
    );
  }

  /** Calls the callbacks. True on the first call only. */
  #finish(): boolean {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const done of waiting ?? []) done();
    return waiting !== undefined;
  }
}
