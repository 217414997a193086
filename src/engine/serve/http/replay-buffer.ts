import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import type { MessageId } from '../../protocol/envelope.js';

/** Most events of a session that can be replayed, and their total estimated size. */
const maxEvents = 256;
const maxSize = 1024 * 1024;

/** Default limit of the estimated size for all sessions of a process. */
const defaultMaxSum = 64 * 1024 * 1024;

/** Estimated size of a value without its characters. */
const overhead = 32;

interface ReplayEntry {
  readonly number: number;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** Limits the replay buffers of all sessions together. Above the limit, the least recently used buffer is cleared. */
export class ReplayBudget {
  readonly #maxSum: number;
  /** Buffers with events, the most recently used last. */
  readonly #byAge = new Set<ReplayBuffer>();
  #sum = 0;

  constructor(maxSum = defaultMaxSum) {
    this.#maxSum = maxSum;
  }

  open(): ReplayBuffer {
    const events: ReplayBuffer = new ReplayBuffer((difference) => this.#count(events, difference));
    return events;
  }

  #count(events: ReplayBuffer, difference: number): void {
    this.#sum += difference;
    this.#byAge.delete(events);
    if (events.isEmpty) return;
    this.#byAge.add(events);
    for (const oldest of this.#byAge) {
      if (this.#sum <= this.#maxSum || oldest === events) return;
      oldest.clear();
    }
  }
}

const unsent = new WeakSet<JSONRPCMessage>();

/** A response for a stream that has ended. The client never gets it, even if it resumes the stream. */
export function unsentAnswer(id: MessageId): JSONRPCMessage {
  const answer: JSONRPCMessage = { jsonrpc: '2.0', id, result: {} };
  unsent.add(answer);
  return answer;
}

/** True if a GET opens or resumes the stream that belongs to no request. Its name is set by the SDK. */
export function isOfSession(lastEventId: string | null): boolean {
  return !lastEventId || lastEventId.startsWith('_GET_stream/');
}

/**
 * The latest events of a session, for a client that lost a stream.
 * @see MCP 2025-11-25, basic/transports, Resumability and Redelivery
 */
export class ReplayBuffer implements EventStore {
  readonly #onChange: (difference: number) => void;
  readonly #kept: ReplayEntry[] = [];
  #size = 0;
  #last = 0;
  #isClosed = false;

  /** `onChange` takes the growth of the estimated size. */
  constructor(onChange: (difference: number) => void) {
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    if (unsent.has(message)) return '';
    this.#last += 1;
    // A priming event carries no message.
    if ('jsonrpc' in message && !this.#isClosed)
      this.#keep({ number: this.#last, stream, message, size: estimateMessageSize(message) });
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
      if (stream === from.stream && number > from.number) await send(`${stream}/${number}`, message);
    }
    return from.stream;
  }

  clear(): void {
    const size = this.#size;
    this.#kept.length = 0;
    this.#size = 0;
    this.#onChange(-size);
  }

  /** Clears the buffer, and keeps nothing from then on. */
  close(): void {
    this.#isClosed = true;
    this.clear();
  }

  #keep(event: ReplayEntry): void {
    const before = this.#size;
    this.#kept.push(event);
    this.#size += event.size;
    while (this.#kept.length > 1 && (this.#kept.length > maxEvents || this.#size > maxSize)) {
      this.#size -= this.#kept.shift()!.size;
    }
    this.#onChange(this.#size - before);
  }

  #read(id: string): { readonly stream: string; readonly number: number } | undefined {
    const at = id.lastIndexOf('/');
    const number = Number(id.slice(at + 1));
    if (at < 1 || !Number.isSafeInteger(number) || number < 1 || number > this.#last) return undefined;
    return { stream: id.slice(0, at), number };
  }
}

/** Estimates the memory that a message takes, at lower cost than its JSON. */
function estimateMessageSize(message: JSONRPCMessage): number {
  let size = 0;
  const left: unknown[] = [message];
  while (left.length > 0) {
    const value = left.pop();
    size += overhead;
    if (typeof value === 'string') size += value.length;
    if (typeof value !== 'object' || value === null) continue;
    // A cyclic value would never end. `JSON.stringify` throws for it.
    if (size > maxSize) return Math.max(size, JSON.stringify(message).length);
    for (const [key, member] of Object.entries(value)) {
      size += key.length;
      left.push(member);
    }
  }
  return size;
}
