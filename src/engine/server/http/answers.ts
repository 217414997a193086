import { ErrorNumber, type MessageId } from '../protocol/envelope.js';
import { type LegacyVersion, legacyVersions, wantsNullId } from '../protocol/eras.js';

/** What an HTTP answer says that is an error of JSON-RPC. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** `InvalidRequest` when absent. */
  readonly code?: number;
  readonly data?: unknown;
  readonly id?: MessageId | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that refuses a request. `version` is what the client says it speaks: older ones want an id at any price. */
export function refusal(
  { status, message, code = ErrorNumber.InvalidRequest, data, id, headers }: Refusal,
  version?: string | null,
): Response {
  const legacy = legacyVersions.find((known): known is LegacyVersion => known === version);
  const named = id !== undefined ? { id } : wantsNullId(legacy) ? { id: null } : {};
  const error = { code, message, ...(data !== undefined && { data }) };
  return Response.json({ jsonrpc: '2.0', ...named, error }, { status, ...(headers && { headers }) });
}

/** Calls back once, when nothing more of an answer will come, which is at the latest when the signal aborts. */
export function whenDone(response: Response, done: () => void, signal?: AbortSignal): Response {
  if (!isStream(response)) {
    done();
    return response;
  }
  const reader = response.body!.getReader();
  let isDone = false;
  const finish = () => {
    if (isDone) return;
    isDone = true;
    done();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      signal?.addEventListener('abort', () => {
        void reader.cancel().catch(() => {});
        if (isDone) return;
        finish();
        controller.close();
      });
    },
    async pull(controller) {
      try {
        const { done: isEnd, value } = await reader.read();
        if (isDone) return;
        if (!isEnd) return controller.enqueue(value);
        finish();
        controller.close();
      } catch (error) {
        if (isDone) return;
        finish();
        controller.error(error);
      }
    },
    async cancel(reason) {
      finish();
      await reader.cancel(reason).catch(() => {});
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** Whether an answer may go on for as long as it likes. */
export function isStream({ body, headers }: Response): boolean {
  return body !== null && (headers.get('content-type') ?? '').startsWith('text/event-stream');
}
