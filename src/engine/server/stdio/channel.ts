import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';

type Send = (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;

/**
 * The end of the pipe that an SDK server sees. It speaks in messages only; the front owns the bytes. Messages that
 * arrive before the server is ready wait in order.
 */
export class Channel implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #send: Send;
  #waiting: JSONRPCMessage[] | undefined = [];
  #isClosed = false;

  constructor(send: Send) {
    this.#send = send;
  }

  async start(): Promise<void> {}

  /** The server listens: it gets what has waited. */
  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const message of waiting) this.onmessage?.(message);
  }

  deliver(message: JSONRPCMessage): void {
    if (this.#isClosed) return;
    if (this.#waiting === undefined) this.onmessage?.(message);
    else this.#waiting.push(message);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!this.#isClosed) await this.#send(message, options);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = undefined;
    this.onclose?.();
  }
}
