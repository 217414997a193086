import type { OutgoingMessage } from './line-writer.js';

/**
 * The responses to one array of messages (MCP 2025-03-26 basic, Batching; JSON-RPC 2.0, section 6). They are sent
 * together after the last one; nothing is sent if no message expects a response.
 */
export class Batch {
  readonly #send: (answers: readonly OutgoingMessage[]) => void;
  #answers: OutgoingMessage[] = [];
  #owed = 0;
  #isRead = false;

  constructor(send: (answers: readonly OutgoingMessage[]) => void) {
    this.#send = send;
  }

  /** Expects one more response. */
  owe(): void {
    this.#owed += 1;
  }

  /** Takes an expected response; undefined if the request was cancelled. */
  settle(answer: OutgoingMessage | undefined): void {
    this.#owed -= 1;
    if (answer !== undefined) this.#answers.push(answer);
    this.#sendIfComplete();
  }

  /** Takes a response that was not announced by `owe`. */
  answer(answer: OutgoingMessage): void {
    this.#answers.push(answer);
  }

  /** Marks the array as read: no more responses will be expected. */
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
