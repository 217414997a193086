import type { WireObject } from '../protocol/envelope.js';
import { missingCapabilityError } from '../runtime/input-required.js';
import type { InputRequest } from './client-requests.js';
import type { HandlerInputOptions } from './input-scope.js';
import { isInStep } from './replay-steps.js';

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
