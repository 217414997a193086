import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of a server of Node, and what is under way on them. Node's own way of closing those that are idle cuts
 * off answers that have been made and are still leaving.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  /** How many answers are under way, on connections that had a request. */
  readonly #answers = new Map<Socket, number>();
  #isEnding = false;

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#answers.delete(socket);
    });
  }

  /** An answer is under way until the last of it has left. */
  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#answers.set(socket, (this.#answers.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.#answers.get(socket) ?? 1) - 1;
      if (this.#answers.has(socket)) this.#answers.set(socket, left);
      if (left === 0 && this.#isEnding) socket.destroySoon();
    });
  }

  /** Ends each connection with its last answer. One that had no request yet may have one on its way. */
  end(): void {
    this.#isEnding = true;
    for (const [socket, answers] of this.#answers) if (answers === 0) socket.destroy();
  }

  /** Ends those that nothing is under way on. */
  endIdle(): void {
    for (const socket of this.#open) if (!this.#answers.get(socket)) socket.destroy();
  }
}
