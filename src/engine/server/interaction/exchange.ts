import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { messageOf } from '../../extension/modules.js';
import { ToolError } from '../../items/builders.js';
import { type Limit, offTheClock } from '../../items/time-limit.js';
import type { Wire } from '../requests/handler.js';
import { clientGone } from '../stdio/outbound.js';
import type { Dialogue } from './dialogue.js';
import { type Asked, type Partner, prepare } from './partner.js';
import { answerTo, type Question, type Response } from './questions.js';
import { Steps } from './steps.js';

/** Longer than this no timer runs; a person may take as long as it pleases. */
const unlimitedMs = 2 ** 31 - 1;

/** Answers are checked by the question, which knows what to make of those that are none. */
const anyResult = {
  '~standard': { version: 1 as const, vendor: 'agenttools', validate: (value: unknown) => ({ value }) },
};

/** Up to 2025-11-25: the client is sent a request while the handler waits. */
export class Exchange implements Partner {
  readonly #dialogue: Dialogue;
  readonly #steps = new Steps();

  constructor(dialogue: Dialogue) {
    this.#dialogue = dialogue;
  }

  /** Meanwhile no clock of the calls that wait runs. */
  async ask<T>(asked: Asked<T>): Promise<T> {
    return await offTheClock(asked.limits, async () => {
      const question = await prepare(asked);
      return await answerTo(question, (put) => this.#send(put, asked));
    });
  }

  step(key: string, work: () => unknown): Promise<unknown> {
    return this.#steps.run(key, work);
  }

  async inputRequired(): Promise<Wire> {
    throw new Error('Up to 2025-11-25 no request ends with questions.');
  }

  /** @throws what the call was ended for, or that the client has gone */
  async #send(
    { method, params }: Question<unknown>,
    { limits, timeoutMs }: Asked<unknown>,
  ): Promise<Response> {
    const limit = limits.at(-1)!;
    if (limit.isOver) throw endOf(limit);
    try {
      const request = { method, ...(params && { params }) } as { method: string };
      const options = { signal: limit.signal, timeout: Math.min(timeoutMs ?? unlimitedMs, unlimitedMs) };
      return { result: await this.#dialogue.request.mcpReq.send(request, anyResult, options) };
    } catch (error) {
      if (limit.isOver) throw endOf(limit);
      if (error instanceof ProtocolError && error.message !== clientGone) return { failure: error.message };
      if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
        return { failure: 'no answer in time' };
      }
      throw new ToolError(clientGone, { cause: messageOf(error) });
    }
  }
}

/** Why a call is over. What a client gave as its reason is a text. */
function endOf({ signal }: Limit): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError');
}
