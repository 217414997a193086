/** A request whose body is not taken; `status` is the one of the answer. */
export class BodyError extends Error {
  override readonly name = 'BodyError';

  constructor(
    readonly status: 400 | 408 | 413,
    message: string,
  ) {
    super(message);
  }
}

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** How long a body may take to come. */
  readonly bodyTimeoutMs: number;
}

/** Reads a body as text, within bounds. @throws BodyError */
export async function readBody(
  chunks: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null,
  { maxBodyBytes, bodyTimeoutMs }: BodyLimits,
): Promise<string> {
  if (chunks === null) return '';
  const parts: Uint8Array[] = [];
  const iterator = iterate(chunks);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new BodyError(408, `The body did not come within ${bodyTimeoutMs} ms.`)),
      bodyTimeoutMs,
    );
  });
  try {
    let size = 0;
    for (;;) {
      const next = await Promise.race([iterator.next(), late]);
      if (next.done) break;
      size += next.value.byteLength;
      if (size > maxBodyBytes) throw new BodyError(413, `A body may have at most ${maxBodyBytes} bytes.`);
      parts.push(next.value);
    }
  } catch (error) {
    iterator.stop();
    if (error instanceof BodyError) throw error;
    throw new BodyError(400, 'The body broke off.');
  } finally {
    clearTimeout(timer);
  }
  return textOf(parts);
}

interface Chunks {
  next(): Promise<{ readonly done?: false; readonly value: Uint8Array } | { readonly done: true }>;
  stop(): void;
}

function iterate(chunks: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>): Chunks {
  if ('getReader' in chunks) {
    const reader = chunks.getReader();
    return {
      next: async () => {
        const { done, value } = await reader.read();
        return done ? { done } : { value };
      },
      stop: () => void reader.cancel().catch(() => {}),
    };
  }
  const iterator = chunks[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await iterator.next();
      return done ? { done } : { value };
    },
    // What is still to come must not be waited for.
    stop: () => void iterator.return?.().catch(() => {}),
  };
}

/** @throws BodyError for bytes that are not UTF-8 */
function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
  } catch {
    throw new BodyError(400, 'The body is not UTF-8.');
  }
}
