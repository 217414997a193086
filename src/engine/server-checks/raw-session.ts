import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';

/** Answer of a server, unchecked. */
export type RawAnswer = { readonly result: unknown } | { readonly error: RawError };

interface RawError {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** A request without an answer in time. The message completes a sentence about the server. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** A client that checks nothing: it sees answers as the server sent them. Requests of the server are refused. */
export class RawSession {
  readonly #transport: Transport;
  readonly #waiting = new Map<number, (answer: RawAnswer) => void>();
  readonly #lost: Promise<never>;
  #last = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
    transport.onmessage = (message) => this.#receive(message as unknown as JsonObject);
    this.#lost = new Promise((_, reject) => {
      transport.onclose = () => reject(new NoAnswerError('ended before it answered'));
    });
    this.#lost.catch(() => {});
  }

  async start(): Promise<void> {
    await this.#transport.start();
  }

  /** Protocol version for the header of HTTP requests. */
  set version(version: string) {
    this.#transport.setProtocolVersion?.(version);
  }

  /** @throws NoAnswerError; the error of the transport */
  async request(method: string, params: JsonObject, timeoutMs: number): Promise<RawAnswer> {
    this.#last += 1;
    const id = this.#last;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new NoAnswerError(`gave no answer to ${method} within ${timeoutMs / 1000} s`);
      timer = setTimeout(() => reject(error), timeoutMs);
    });
    const answered = new Promise<RawAnswer>((resolve) => this.#waiting.set(id, resolve));
    const sent = this.#send({ jsonrpc: '2.0', id, method, params });
    try {
      return await Promise.race([sent.then(async () => await answered), answered, this.#lost, late]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  async notify(method: string): Promise<void> {
    await this.#send({ jsonrpc: '2.0', method });
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async #send(message: JsonObject): Promise<void> {
    await this.#transport.send(message as unknown as JSONRPCMessage);
  }

  #receive({ id, method, result, error }: JsonObject): void {
    if (typeof method === 'string') {
      if (id === undefined) return;
      const refusal = { code: -32_601, message: 'This client only checks the server.' };
      void this.#send({ jsonrpc: '2.0', id, error: refusal }).catch(() => {});
      return;
    }
    if (typeof id === 'number') this.#waiting.get(id)?.(isRecord(error) ? { error } : { result });
  }
}
