import type { AuthInfo } from '@modelcontextprotocol/server';
import type { JsonObject, MessageId } from './envelope.js';

/** A notification or request to the client. */
export interface OutboundMessage {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** Limits of the wait for the client's answer. */
export interface ClientRequestLimits {
  /** Ends the wait; the client is sent a cancellation. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** The client did not answer a request in time. */
export class RequestTimeoutError extends Error {
  override readonly name = 'RequestTimeoutError';
}

/** One request of a client while it is answered. */
export interface RequestContext {
  readonly id: MessageId;
  readonly method: string;
  /** `_meta` of the params; on 2026-07-28 it also holds version, client and capabilities. */
  readonly meta: JsonObject | undefined;
  /** The same as `signal.aborted`, at lower cost. */
  readonly isOver: boolean;
  /** Aborts when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** Calls back when the signal aborts, at most once. The signal itself costs more. */
  onAbort(listener: (reason: unknown) => void): void;
  /** Responses to the input requests of the previous attempt, by key. @see MCP 2026-07-28, basic/patterns/mrtr */
  readonly inputResponses: JsonObject | undefined;
  /** The state that the client sent back with them, not verified. */
  readonly requestState: unknown;
  /** Claims of the token of an HTTP request. */
  readonly auth: AuthInfo | undefined;
  /** Progress that the client was sent last. Undefined: none. */
  readonly lastProgress?: number | undefined;
  /**
   * Sends a notification that belongs to this request. Resolves when the transport takes more. Progress that does not grow
   * is not sent.
   * @see MCP basic/utilities/progress: "The progress value MUST increase with each notification"
   */
  notify(notification: OutboundMessage): Promise<void>;
  /**
   * Sends the client a request that belongs to this one. Returns its result.
   * @throws RequestTimeoutError, ProtocolError for an error of the client
   */
  ask(request: OutboundMessage, limits: ClientRequestLimits): Promise<JsonObject>;
  /** Ends the HTTP stream of this request; the client resumes it. */
  closeStream(): void;
}

/** Identity of a client. Up to 2025-11-25 the handshake holds it. */
export interface ClientIdentity {
  /** `clientInfo`, not validated. */
  readonly info: unknown;
  /** The client's capabilities, not validated. */
  readonly capabilities: unknown;
}

/** The other end of a connection. */
export interface Peer {
  /** The negotiated revision; undefined before `initialize`. */
  readonly version: string | undefined;
  /** Undefined before `initialize`, and on 2026-07-28, where each request carries it. */
  readonly client: ClientIdentity | undefined;
}
