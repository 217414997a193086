import type { AuthInfo } from '@modelcontextprotocol/server';
import { isInitialize, Session, type SessionOptions, type SessionRequest } from './session.js';

/** How sessions of clients up to 2025-11-25 are kept. */
export interface SessionLimits extends Omit<SessionOptions, 'createServer'> {
  /** How many there may be at a time. */
  readonly maxSessions: number;
}

export type SessionsOptions = SessionLimits & SessionOptions;

/** @see MCP 2025-11-25, basic/transports, Session Management: a session that is over is answered 404 */
const sessionNotFound = -32001;

/** The sessions of clients up to 2025-11-25. Each has a server of its own, and is known by the id in its header. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();
  /** Those that have no id yet. */
  readonly #opening = new Set<Session>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async answer(asked: SessionRequest): Promise<Response> {
    const { request, body, auth, refuse } = asked;
    if (!request.headers.has('mcp-session-id')) {
      if (isInitialize(body)) return await this.#open(asked);
      const way =
        'Send initialize first (up to 2025-11-25) and then the Mcp-Session-Id of its answer, or name the protocol version in "_meta" (2026-07-28).';
      return refuse({ status: 400, message: `Mcp-Session-Id is missing. ${way}` });
    }
    const session = this.find(request.headers, auth);
    if (session) return await session.answer(asked);
    return refuse({
      status: 404,
      code: sessionNotFound,
      message: 'Session not found. Send initialize again.',
    });
  }

  /** The session that a request names. Whose it is, is no business of others: to them it is not there. */
  find(headers: Headers, auth: AuthInfo | undefined): Session | undefined {
    const id = headers.get('mcp-session-id');
    const session = id === null ? undefined : this.#sessions.get(id);
    return session?.belongsTo(auth) ? session : undefined;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
  }

  async #open(asked: SessionRequest): Promise<Response> {
    const isFull = this.#sessions.size + this.#opening.size >= this.#options.maxSessions;
    const idle = isFull ? this.#longestIdle() : undefined;
    if (isFull && !idle) {
      const message = `There are ${this.#sessions.size} sessions, and more are not served. Try again later.`;
      return asked.refuse({ status: 503, message, headers: { 'Retry-After': '30' } });
    }
    const session = new Session(this.#options, asked.auth, {
      onOpen: (id) => {
        this.#opening.delete(session);
        this.#sessions.set(id, session);
      },
      onClose: (id) => void this.#sessions.delete(id),
    });
    this.#opening.add(session);
    try {
      await idle?.close();
      await session.connect();
      return await session.answer(asked);
    } finally {
      this.#opening.delete(session);
      if (!session.isOpen) await session.close();
    }
  }

  #longestIdle(): Session | undefined {
    const idle = [...this.#sessions.values()].filter(({ isUsed }) => !isUsed);
    return idle.sort((one, other) => one.lastUsed - other.lastUsed)[0];
  }
}
