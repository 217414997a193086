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

/** Longer than this no timer runs; a person may take as long as it pleases. */
const unlimitedMs = 2 ** 31 - 1;

/** Puts a question to whoever answers. */
type SendInputRequest = (
  question: InputRequest<unknown>,
  asked: PendingInput<unknown>,
) => Promise<InputResponse>;

/** Whoever answers while the handler waits. */
export class BlockingInputChannel implements InputChannel {
  readonly #put: SendInputRequest;
  readonly #steps = new Steps();

  constructor(put: SendInputRequest) {
    this.#put = put;
  }

  /** Meanwhile no clock of the calls that wait runs. */
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
 * Up to 2025-11-25: the client is sent a request. A handler that was told that the client has gone, and asks on, would
 * only keep the process from ending: its call is over.
 * @throws what the call was ended for, or that the client has gone
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
      // Questions that were put at the same time are no asking on.
      setImmediate(() => {
        wasTold = true;
      });
      throw new ToolError(clientGone, { cause: errorMessage(error) });
    }
  };
}

/** Why a call is over. What a client gave as its reason is a text. */
function abortError({ reason }: { readonly reason: unknown }): Error {
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError');
}
