import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Connections of a Node server, with their responses in flight. Node's `closeIdleConnections` cuts off responses that
 * are complete but still being sent.
 */
export class Connections {
  readonly #open = new Set<Socket>();
  /** Number of responses in flight, by connection that had a request. */
  readonly #answers = new Map<Socket, number>();
  #isEnding = false;

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#answers.delete(socket);
    });
  }

  /** A response is in flight until all of it is sent. */
  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#answers.set(socket, (this.#answers.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.#answers.get(socket) ?? 1) - 1;
      if (this.#answers.has(socket)) this.#answers.set(socket, left);
      if (left === 0 && this.#isEnding) socket.destroySoon();
    });
  }

  /** Ends each connection after its last response. Keeps those without a request so far: one may be on its way. */
  end(): void {
    this.#isEnding = true;
    for (const [socket, answers] of this.#answers) if (answers === 0) socket.destroy();
  }

  /** Ends connections without a response in flight. */
  endIdle(): void {
    for (const socket of this.#open) if (!this.#answers.get(socket)) socket.destroy();
  }
}
