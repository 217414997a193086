import { type AuthInfo, isInitializeRequest } from '@modelcontextprotocol/server';
import { quotaKey } from '../../live/request-keys.js';
import { type ErrorBody, ErrorNumber } from '../../protocol/envelope.js';
import { findParamsFault } from '../../protocol/params.js';
import { HttpSession, isInitialize, type SessionOptions, type SessionRequest } from './http-session.js';
import { ReplayBudget } from './replay-buffer.js';

/** Limits of the sessions of clients up to 2025-11-25. */
export interface SessionLimits extends Omit<SessionOptions, 'createServer' | 'replayBudget'> {
  /** Most sessions at a time. */
  readonly maxSessions: number;
  /** Most sessions of one user, if tokens identify users. */
  readonly maxSessionsPerUser: number;
}

export type SessionsOptions = SessionLimits & Pick<SessionOptions, 'createServer'>;

/** Sent with status 404 for an ended session. @see MCP 2025-11-25, basic/transports, Session Management */
const sessionNotFound = -32001;

/** Sessions of clients up to 2025-11-25. Each has one dispatcher; the `Mcp-Session-Id` header identifies it. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, HttpSession>();
  /** Sessions without an id so far. */
  readonly #opening = new Set<HttpSession>();
  readonly #replayBudget = new ReplayBudget();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  async answer(asked: SessionRequest): Promise<Response> {
    const { request, body, auth, refuse } = asked;
    if (!request.headers.has('mcp-session-id')) {
      if (isInitialize(body)) {
        const fault = findParamsFault('legacy', 'initialize', body.params) ?? findShapeFault(body);
        return fault ? refuse({ status: 400, ...fault }) : await this.#open(asked);
      }
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

  /** Returns the session that a request names; undefined if it does not exist or has another owner. */
  find(headers: Headers, auth: AuthInfo | undefined): HttpSession | undefined {
    const id = headers.get('mcp-session-id');
    const session = id === null ? undefined : this.#sessions.get(id);
    return session?.belongsTo(auth) ? session : undefined;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
  }

  async #open(asked: SessionRequest): Promise<Response> {
    const room = this.#room(quotaKey(asked.auth));
    if ('problem' in room) {
      const { status, problem } = room;
      const message = `${problem}, and more are not served. Try again later.`;
      return asked.refuse({ status, message, headers: { 'Retry-After': '30' } });
    }
    const session = new HttpSession({ ...this.#options, replayBudget: this.#replayBudget }, asked.auth, {
      onOpen: (id) => {
        this.#opening.delete(session);
        this.#sessions.set(id, session);
      },
      onClose: (id) => void this.#sessions.delete(id),
    });
    this.#opening.add(session);
    try {
      await room.leaves?.close();
      await session.connect();
      return await session.answer(asked);
    } finally {
      this.#opening.delete(session);
      if (!session.isOpen) await session.close();
    }
  }

  /** Finds room for one more session of a user. `leaves` is the idle session to close for it. */
  #room(user: string | undefined): SessionRoom {
    const { maxSessions, maxSessionsPerUser } = this.#options;
    const all = [...this.#sessions.values(), ...this.#opening];
    const own = user === undefined ? [] : all.filter((session) => session.user === user);
    if (own.length >= maxSessionsPerUser) {
      const leaves = longestIdle(own);
      return leaves ? { leaves } : { status: 429, problem: `You have ${own.length} sessions` };
    }
    if (all.length < maxSessions) return { leaves: undefined };
    const leaves = longestIdle(all);
    return leaves ? { leaves } : { status: 503, problem: `There are ${all.length} sessions` };
  }
}

type SessionRoom =
  | { readonly leaves: HttpSession | undefined }
  | { readonly status: number; readonly problem: string };

function longestIdle(sessions: readonly HttpSession[]): HttpSession | undefined {
  const idle = sessions.filter(({ isOpen, isUsed }) => isOpen && !isUsed);
  return idle.sort((one, other) => one.lastUsed - other.lastUsed)[0];
}

/** The transport begins a session only if `initialize` matches the SDK's schema. */
function findShapeFault(body: unknown): ErrorBody | undefined {
  if (isInitializeRequest(body)) return undefined;
  const problem = '"params" is not what the schema of MCP has for it';
  return { code: ErrorNumber.InvalidParams, message: `Invalid params for initialize: ${problem}.` };
}
