/** How much of a stream may wait for its reader, give or take a message. */
const maxUnread = 1024 * 1024;

/**
 * What becomes of a stream whose reader is behind. `end`: it ends after what there is, and the client takes it up again
 * or opens another. `skip`: of what comes only the latest is kept, which the end of a call always is.
 */
export type BackpressurePolicy = 'end' | 'skip';

/** Whether an answer may go on for as long as it likes. */
export function isStream({ body, headers }: Response): boolean {
  return body !== null && (headers.get('content-type') ?? '').startsWith('text/event-stream');
}

/**
 * An answer that keeps no more than so much for a reader who is slow. `farewell` gives what is said at the end, if
 * anything is left to say.
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

/** Calls back once, when nothing more of an answer will come, which is at the latest when the signal aborts. */
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

/** Reads a stream as it comes, and knows its end. */
class StreamWatch {
  /** Who is to be told of the end; undefined: it has come. */
  #waiting: (() => void)[] | undefined = [];
  #end: () => void = () => {};

  add(done: () => void): void {
    if (this.#waiting) this.#waiting.push(done);
    else done();
  }

  /** Has nothing more come than there is. */
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

  /** Whether that was the end: there is one only. */
  #finish(): boolean {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const done of waiting ?? []) done();
    return waiting !== undefined;
  }
}
