import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';

type SendMessage = (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;

/** The transport of one dispatcher. It carries messages; the router reads and writes the pipe. */
export class StdioChannel implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #send: SendMessage;
  #isClosed = false;

  constructor(send: SendMessage) {
    this.#send = send;
  }

  async start(): Promise<void> {}

  deliver(message: JSONRPCMessage): void {
    if (!this.#isClosed) this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!this.#isClosed) await this.#send(message, options);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}
