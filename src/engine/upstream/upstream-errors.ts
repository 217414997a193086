import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { AgentToolsError } from '../base/errors.js';
import { errorMessage } from '../base/thrown-value.js';
import { ProtocolError as OwnProtocolError, ToolError } from '../runtime/result-builders.js';
import type { UpstreamEndpoint } from '../runtime/upstream.js';
import {
  type HideSecrets,
  hideSecretsIn,
  type Quote,
  type SignInRefusal,
  signInWords,
  silenceWords,
  spawnWords,
  statusWords,
  withFullStop,
} from './error-text.js';
import { brokenCode, streamEnded } from './http-transport.js';
import { unreadableCode } from './program-transport.js';

/** An unavailable upstream server. The message is the reason, as the end of a sentence. */
export class LinkError extends Error {
  override readonly name: string = 'LinkError';
}

export class SpawnError extends LinkError {
  override readonly name = 'SpawnError';
}

/** A lost connection. The next call opens another one. */
export class ConnectionLostError extends LinkError {
  override readonly name: string = 'LostError';
}

/** The upstream server does not know the session any more. The request was not executed. */
export class SessionGoneError extends ConnectionLostError {
  override readonly name = 'SessionGoneError';
}

/** The server wants a sign-in. */
export class SignInNeededError extends LinkError {
  override readonly name = 'SignInNeededError';
  /** Address of the server. */
  readonly server: string;

  constructor(message: string, server: string) {
    super(message);
    this.server = server;
  }
}

/** State of the connection at a failure. */
export interface FailureContext {
  readonly place: UpstreamEndpoint;
  /** Name of the upstream server in messages. */
  readonly name: string;
  readonly quote: Quote;
  readonly hide: HideSecrets;
  /** True after the handshake. */
  readonly isOpen: boolean;
  /** True if the program has started. */
  readonly isStarted: boolean;
  /** Reason of a closed connection; undefined if open. */
  readonly over: string | undefined;
  /** Longest wait for the response, in milliseconds. */
  readonly waitedMs: number;
  /** First line of stdout that is not a message. */
  readonly impure: string | undefined;
  /** Set if the server wants a sign-in. */
  readonly refusal?: SignInRefusal | undefined;
}

/** Converts a failure to an error for the caller: the server is unavailable, or did not answer with a result. */
export function explainFailure(error: unknown, setting: FailureContext): Error {
  const { place, isOpen, isStarted, over, quote } = setting;
  if (error instanceof ToolError || error instanceof LinkError) return error;
  if (error instanceof AgentToolsError) return new ToolError(error.message);
  if (!('url' in place) && !isStarted) return new SpawnError(spawnWords(error, place));
  if (over !== undefined) return new LinkError(over);
  const status = httpStatus(error);
  if (status === 404 && isOpen) return new SessionGoneError('it no longer knows our session');
  if (setting.refusal && setting.refusal.challenge.status === status)
    return new SignInNeededError(signInWords(setting.refusal, quote), setting.refusal.server);
  if (status !== undefined) {
    const transport = 'url' in place && !isOpen ? place.transport : undefined;
    return new LinkError(statusWords(status, transport));
  }
  if (error instanceof ProtocolError) return explainAnswer(error, setting);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new LinkError(silenceWords(setting, quote));
  }
  if (isUnreadable(error)) return noResult(errorMessage(error), setting);
  return 'url' in place
    ? new ConnectionLostError(quote(rootMessage(error)))
    : new LinkError(quote(errorMessage(error)));
}

/** Errors of the upstream server pass unchanged, without the secrets of its endpoint. */
function explainAnswer({ code, message, data }: ProtocolError, setting: FailureContext): Error {
  const { place, hide } = setting;
  if (code === brokenCode && message === streamEnded && 'url' in place) {
    return new ConnectionLostError(message);
  }
  if (code === unreadableCode && !('url' in place)) return noResult(message, setting);
  return new OwnProtocolError(code, hide(message), hideSecretsIn(data, hide));
}

function noResult(what: string, { name, quote }: FailureContext): ToolError {
  return new ToolError(
    withFullStop(`The upstream server "${name}" answers with what is no result: ${quote(what)}`),
  );
}

export function httpStatus(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  if (error.name === 'UnauthorizedError') return 401;
  if (error instanceof InsufficientScopeError) return 403;
  return typeof code === 'number' && code >= 300 && code < 600 ? code : undefined;
}

function isUnreadable(error: unknown): boolean {
  const codes: readonly string[] = [SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType];
  return error instanceof SdkError && codes.includes(error.code);
}

/** Returns the message of the innermost cause. The outer one, `fetch failed`, has no reason. */
function rootMessage(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: unknown };
  if (cause instanceof AggregateError && cause.errors.length > 0) return rootMessage(cause.errors[0]);
  return cause instanceof Error ? rootMessage(cause) : errorMessage(error);
}
