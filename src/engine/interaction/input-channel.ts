import type { Connection, RequestIdentity } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { missingCapabilityError } from '../runtime/input-required.js';
import type { CallDeadline } from '../runtime/time-limit.js';
import type { InputRequest } from './client-requests.js';
import { isInStep } from './replay-steps.js';

/** The input scope of a request, as channels use it. */
export interface InputRequester {
  readonly connection: Connection;
  readonly request: RequestContext;
  readonly subject: RequestIdentity;
  /** True once the request ends with input requests. Its handlers do not continue. */
  isSuspended: boolean;
}

/** An input request of a handler, before it is made and sent. */
export interface PendingInput<T> extends HandlerInputOptions {
  readonly key: string;
  readonly timeoutMs: number | undefined;
  /** True if an answer counts only after the server has sent the input request. */
  readonly isProof: boolean;
  readonly make: () => Promise<InputRequest<T>>;
}

/** Sends the input requests of one call to the client. */
export interface InputChannel {
  ask<T>(asked: PendingInput<T>): Promise<T>;
  step(key: string, work: () => unknown): Promise<unknown>;
  /** Returns the `input_required` result. */
  inputRequired(): Promise<WireObject>;
}

/** Makes an input request. @throws MissingCapabilityError if the client cannot answer it; errors of `make` */
export async function prepare<T>({ make, can, what }: PendingInput<T>): Promise<InputRequest<T>> {
  if (isInStep()) {
    throw new Error(`${what} asks the client within a step. Ask before it, and take the answer along.`);
  }
  const question = await make();
  const lacking = question.capabilities.find((capability) => !can(capability));
  if (lacking === undefined) return question;
  throw missingCapabilityError(
    what,
    lacking === 'elicitation.form' && !can('elicitation') ? 'elicitation' : lacking,
  );
}

/** The handler that sends input requests. */
export interface HandlerInputOptions {
  /** Prefix that makes the handler's keys unique in the request. */
  readonly prefix: string;
  /** Deadlines of the enclosing calls and of this call, the outermost first. */
  readonly limits: readonly CallDeadline[];
  /** Label of the handler in messages: `Tool "forecast"`. */
  readonly what: string;
  readonly can: (capability: string) => boolean;
  readonly note: (text: string) => void;
}
