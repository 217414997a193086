import { errorMessage } from '../base/thrown-value.js';
import type { WireObject } from '../protocol/envelope.js';
import { clientGone } from '../protocol/errors.js';
import { RequestTimeoutError } from '../protocol/request.js';
import { ProtocolError, ToolError } from '../runtime/result-builders.js';
import { pauseDeadlines } from '../runtime/time-limit.js';
import { type InputRequest, type InputResponse, requestUntilValid } from './client-requests.js';
import type { InputRequester } from './input-channel.js';
import { type InputChannel, type PendingInput, prepare } from './input-channel.js';
import { Steps } from './replay-steps.js';

/** Longest delay of a timer, in milliseconds. Users may take any time to answer. */
const unlimitedMs = 2 ** 31 - 1;

/** Sends an input request. Returns the response, or the reason for a missing one. */
type SendInputRequest = (
  question: InputRequest<unknown>,
  asked: PendingInput<unknown>,
) => Promise<InputResponse>;

/** Input channel that blocks the handler until the client answers (up to 2025-11-25). */
export class BlockingInputChannel implements InputChannel {
  readonly #put: SendInputRequest;
  readonly #steps = new Steps();

  constructor(put: SendInputRequest) {
    this.#put = put;
  }

  /** Pauses the deadlines of the waiting calls. */
  async ask<T>(asked: PendingInput<T>): Promise<T> {
    return await pauseDeadlines(asked.limits, async () => {
      const question = await prepare(asked);
      return await requestUntilValid(question, async (one) => {
        const { isOver, signal } = asked.limits.at(-1)!;
        if (isOver) throw abortError(signal);
        return await this.#put(one, asked);
      });
    });
  }

  step(key: string, work: () => unknown): Promise<unknown> {
    return this.#steps.run(key, work);
  }

  async inputRequired(): Promise<WireObject> {
    throw new Error('Nothing ends with questions where the handler waits for answers.');
  }
}

/**
 * Returns a function that sends requests to the client (up to 2025-11-25). A handler that asks again after the client
 * disconnected would only delay process exit, so its call ends.
 * @throws the reason that ended the call; ToolError if the client has disconnected
 */
export function createClientSender({ request }: InputRequester): SendInputRequest {
  let wasTold = false;
  return async ({ method, params }, { limits, timeoutMs }) => {
    if (wasTold) for (const limit of limits) limit.end(new ToolError(clientGone));
    const limit = limits.at(-1)!;
    if (limit.isOver) throw abortError(limit.signal);
    try {
      const limits = { signal: limit.signal, timeoutMs: Math.min(timeoutMs ?? unlimitedMs, unlimitedMs) };
      return { result: await request.ask({ method, params }, limits) };
    } catch (error) {
      if (limit.isOver) throw abortError(limit.signal);
      if (error instanceof ProtocolError && error.message !== clientGone) return { failure: error.message };
      if (error instanceof RequestTimeoutError) {
        return { failure: 'no answer in time' };
      }
      // Parallel requests do not count as asking again.
      setImmediate(() => {
        wasTold = true;
      });
      throw new ToolError(clientGone, { cause: errorMessage(error) });
    }
  };
}

/** Returns the abort reason as an error. The reason that a client sent is a string. */
function abortError({ reason }: { readonly reason: unknown }): Error {
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError');
}
