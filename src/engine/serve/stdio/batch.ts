import type { OutgoingMessage } from './line-writer.js';

/**
 * The answers to one array of messages (MCP 2025-03-26 basic, Batching; JSON-RPC 2.0, section 6): sent together when
 * the last is there, and not at all when none of the messages asked for one.
 */
export class Batch {
  readonly #send: (answers: readonly OutgoingMessage[]) => void;
  #answers: OutgoingMessage[] = [];
  #owed = 0;
  #isRead = false;

  constructor(send: (answers: readonly OutgoingMessage[]) => void) {
    this.#send = send;
  }

  /** One more part will be answered. */
  owe(): void {
    this.#owed += 1;
  }

  /** A part that was owed is answered, or with nothing: it was cancelled. */
  settle(answer: OutgoingMessage | undefined): void {
    this.#owed -= 1;
    if (answer !== undefined) this.#answers.push(answer);
    this.#sendIfComplete();
  }

  /** A part is answered at once. */
  answer(answer: OutgoingMessage): void {
    this.#answers.push(answer);
  }

  /** All parts have been looked at. */
  close(): void {
    this.#isRead = true;
    this.#sendIfComplete();
  }

  #sendIfComplete(): void {
    if (!this.#isRead || this.#owed > 0 || this.#answers.length === 0) return;
    const answers = this.#answers;
    this.#answers = [];
    this.#send(answers);
  }
}
