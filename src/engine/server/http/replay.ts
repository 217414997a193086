import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** How much of a session can be replayed. */
const maxEvents = 256;
const maxCharacters = 1024 * 1024;

interface Kept {
  readonly number: number;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly length: number;
}

/**
 * The latest that was sent in a session, for a client that lost a stream.
 * @see MCP 2025-11-25, basic/transports, Resumability and Redelivery
 */
export class RecentEvents implements EventStore {
  #kept: Kept[] = [];
  #characters = 0;
  #last = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const { length } = JSON.stringify(message);
    this.#kept.push({ number: this.#last, stream, message, length });
    this.#characters += length;
    while (this.#kept.length > 1 && (this.#kept.length > maxEvents || this.#characters > maxCharacters)) {
      this.#characters -= this.#kept.shift()!.length;
    }
    return `${stream}/${this.#last}`;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#read(id)?.stream;
  }

  async replayEventsAfter(
    id: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#read(id);
    if (!from) throw new Error('There is no such event.');
    for (const { number, stream, message } of [...this.#kept]) {
      // A priming event carries no message.
      if (stream !== from.stream || number <= from.number || !('jsonrpc' in message)) continue;
      await send(`${stream}/${number}`, message);
    }
    return from.stream;
  }

  #read(id: string): { readonly stream: string; readonly number: number } | undefined {
    const at = id.lastIndexOf('/');
    const number = Number(id.slice(at + 1));
    if (at < 1 || !Number.isSafeInteger(number) || number < 1 || number > this.#last) return undefined;
    return { stream: id.slice(0, at), number };
  }
}
