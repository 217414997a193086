import type { Connection, RequestIdentity } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { missingCapabilityError } from '../runtime/input-required.js';
import type { CallDeadline } from '../runtime/time-limit.js';
import type { InputRequest } from './client-requests.js';
import { isInStep } from './replay-steps.js';

/** A request whose handlers ask the client. */
export interface InputRequester {
  readonly connection: Connection;
  readonly request: RequestContext;
  readonly subject: RequestIdentity;
  /** The client is asked first: its handlers do not go on. */
  isSuspended: boolean;
}

/** A question on its way. */
export interface PendingInput<T> extends HandlerInputOptions {
  readonly key: string;
  readonly timeoutMs: number | undefined;
  readonly make: () => Promise<InputRequest<T>>;
}

/** The client, as a handler speaks to it. */
export interface InputChannel {
  ask<T>(asked: PendingInput<T>): Promise<T>;
  step(key: string, work: () => unknown): Promise<unknown>;
  /** The result that tells the client what is asked. */
  inputRequired(): Promise<WireObject>;
}

/** Makes a question that this client can be asked. @throws MissingCapabilityError, and what making it throws */
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

/** Whoever speaks in a conversation, and how far. */
export interface HandlerInputOptions {
  /** What the keys of this handler begin with, so that no other has the same. */
  readonly prefix: string;
  /** Those of the calls that this one stands in, and its own last. */
  readonly limits: readonly CallDeadline[];
  /** The handler in words. */
  readonly what: string;
  readonly can: (capability: string) => boolean;
  readonly note: (text: string) => void;
}
