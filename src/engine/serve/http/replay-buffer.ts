import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import type { MessageId } from '../../protocol/envelope.js';

/** How much of a session can be replayed. */
const maxEvents = 256;
const maxSize = 1024 * 1024;

/** What the sessions of a process may keep together, unless told. */
const defaultMaxSum = 64 * 1024 * 1024;

/** What a value takes beside its characters, more or less. */
const overhead = 32;

interface ReplayEntry {
  readonly number: number;
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

/** What all sessions keep for streams that are taken up again. When it is too much, whoever sent nothing for longest forgets. */
export class ReplayBudget {
  readonly #maxSum: number;
  /** Who has sent something, the latest at the end. */
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

/** An answer for a stream that has ended, which nobody is to get: not when the stream is taken up again, either. */
export function unsentAnswer(id: MessageId): JSONRPCMessage {
  const answer: JSONRPCMessage = { jsonrpc: '2.0', id, result: {} };
  unsent.add(answer);
  return answer;
}

/** Whether the stream that is taken up after an event, or opened, is the one of no request. The SDK calls it so. */
export function isOfSession(lastEventId: string | null): boolean {
  return !lastEventId || lastEventId.startsWith('_GET_stream/');
}

/**
 * The latest that was sent in a session, for a client that lost a stream.
 * @see MCP 2025-11-25, basic/transports, Resumability and Redelivery
 */
export class ReplayBuffer implements EventStore {
  readonly #onChange: (difference: number) => void;
  readonly #kept: ReplayEntry[] = [];
  #size = 0;
  #last = 0;
  #isClosed = false;

  /** `onChange` is told by how much what is kept has grown. */
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

  /** Forgets everything. */
  clear(): void {
    const size = this.#size;
    this.#kept.length = 0;
    this.#size = 0;
    this.#onChange(-size);
  }

  /** The session is over: nothing is kept any more. */
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

/** About how much memory a message takes, which is found quicker than its JSON is written. */
function estimateMessageSize(message: JSONRPCMessage): number {
  let size = 0;
  const left: unknown[] = [message];
  while (left.length > 0) {
    const value = left.pop();
    size += overhead;
    if (typeof value === 'string') size += value.length;
    if (typeof value !== 'object' || value === null) continue;
    // What holds itself would never end. JSON refuses it.
    if (size > maxSize) return Math.max(size, JSON.stringify(message).length);
    for (const [key, member] of Object.entries(value)) {
      size += key.length;
      left.push(member);
    }
  }
  return size;
}
