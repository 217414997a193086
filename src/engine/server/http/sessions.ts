import { type MessageId, readEnvelope } from '../protocol/envelope.js';
import { refusal } from './answers.js';
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
    const { request, body, auth } = asked;
    const id = request.headers.get('mcp-session-id');
    const version = request.headers.get('mcp-protocol-version');
    if (id === null) {
      if (isInitialize(body)) return await this.#open(asked);
      const way =
        'Send initialize first (up to 2025-11-25) and then the Mcp-Session-Id of its answer, or name the protocol version in "_meta" (2026-07-28).';
      return refusal({ status: 400, message: `Mcp-Session-Id is missing. ${way}`, id: idOf(body) }, version);
    }
    const session = this.#sessions.get(id);
    // Whose session it is, is no business of others: to them it is not there.
    if (!session?.belongsTo(auth)) {
      const message = 'Session not found. Send initialize again.';
      return refusal({ status: 404, code: sessionNotFound, message, id: idOf(body) }, version);
    }
    return await session.answer(asked);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
  }

  async #open(asked: SessionRequest): Promise<Response> {
    const isFull = this.#sessions.size + this.#opening.size >= this.#options.maxSessions;
    const idle = isFull ? this.#longestIdle() : undefined;
    if (isFull && !idle) {
      const message = `There are ${this.#sessions.size} sessions, and more are not served. Try again later.`;
      return refusal({ status: 503, message, id: idOf(asked.body), headers: { 'Retry-After': '30' } });
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

function idOf(body: unknown): MessageId | undefined {
  if (Array.isArray(body)) return undefined;
  const envelope = readEnvelope(body);
  return envelope.kind === 'request' ? envelope.id : undefined;
}
