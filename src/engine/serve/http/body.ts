import { deadlines } from '../../runtime/deadlines.js';

/** The body of a request is refused. `status` is the HTTP status of the response. */
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
  /** Longest time for a body to arrive. */
  readonly bodyTimeoutMs: number;
}

/** Reads the body of a Fetch API request as text, within the limits. @throws BodyError */
export async function readBody({ body, bodyUsed }: Request, limits: BodyLimits): Promise<string> {
  if (bodyUsed)
    throw new BodyError(
      400,
      'The body was already read. Pass it to the handler: handler(request, { parsedBody }).',
    );
  if (body === null) return '';
  const reader = body.getReader();
  const bytes = new BodyBuffer(limits);
  try {
    const read = async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read()) bytes.add(next.value);
    };
    await inTime(read(), limits);
    return bytes.text();
  } catch (error) {
    void reader.cancel().catch(() => {});
    throw error instanceof BodyError ? error : brokenOff();
  }
}

export function brokenOff(): BodyError {
  return new BodyError(400, 'The body broke off.');
}

/** Returns the result of `work`, within the time limit of a body. @throws BodyError */
export async function inTime<T>(work: Promise<T>, { bodyTimeoutMs }: BodyLimits): Promise<T> {
  let wait: ReturnType<typeof deadlines.add> | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `The body did not come within ${bodyTimeoutMs} ms.`;
    wait = deadlines.add(bodyTimeoutMs, () => reject(new BodyError(408, message)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    if (wait) deadlines.remove(wait);
  }
}

/** The parts of a body that have arrived. */
export class BodyBuffer {
  readonly #parts: Uint8Array[] = [];
  readonly #maxBytes: number;
  #size = 0;

  constructor({ maxBodyBytes }: BodyLimits) {
    this.#maxBytes = maxBodyBytes;
  }

  /** @throws BodyError if the body is too long or the part is not bytes */
  add(part: Uint8Array): void {
    // A stream that a program makes may hold any value.
    if (!(part instanceof Uint8Array)) throw brokenOff();
    this.#size += part.byteLength;
    if (this.#size > this.#maxBytes) throw tooLong(this.#maxBytes);
    this.#parts.push(part);
  }

  /** @throws BodyError for bytes that are not UTF-8 */
  text(): string {
    return decodeBody(this.#parts);
  }
}

export function tooLong(maxBytes: number): BodyError {
  return new BodyError(413, `A body may have at most ${maxBytes} bytes.`);
}

function decodeBody(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
  } catch {
    throw new BodyError(400, 'The body is not UTF-8.');
  }
}
