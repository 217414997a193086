import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Connection, isRetry, type RequestIdentity } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import type { Answer, AskOptions, UrlAnswer } from '../runtime/context.js';
import { InputRequiredSignal, type Interaction, neverSettles } from '../runtime/input-required.js';
import { pauseDeadlines } from '../runtime/time-limit.js';
import type { InputRequest, InputRequestContext } from './client-requests.js';
import type { HandlerInputOptions, InputChannel } from './input-channel.js';

/**
 * Input requests of one call and its nested calls. The channel is loaded on first use, since few handlers ask.
 */
export abstract class InputScope {
  /** True once the call ends with input requests. Handlers that wait do not continue. */
  isSuspended = false;
  /** MCP revision of the input requests. */
  abstract readonly revision: Pick<InputRequestContext, 'version' | 'isModern'>;
  readonly #keys = new Set<string>();
  #channel: Promise<InputChannel> | undefined;

  /** Opens the channel. */
  protected abstract openChannel(): Promise<InputChannel>;

  /** Returns the channel, opened once. Rejects if the `requestState` of the request is invalid. */
  channel(): Promise<InputChannel> {
    this.#channel ??= this.openChannel();
    return this.#channel;
  }

  /** Reserves a key for one input request or step. @throws Error if it is taken */
  claim(kind: 'question' | 'step', key: string): string {
    const claimed = `${kind}:${key}`;
    if (this.#keys.has(claimed)) throw new Error(`Two ${kind}s of one call have the key "${key}".`);
    this.#keys.add(claimed);
    return key;
  }

  /** Frees the key of a failed step, so that the handler can repeat the step. */
  release(kind: 'question' | 'step', key: string): void {
    this.#keys.delete(`${kind}:${key}`);
  }
}

/** Input scope of a client request. */
export class ClientInputScope extends InputScope {
  constructor(
    readonly connection: Connection,
    readonly request: RequestContext,
    readonly subject: RequestIdentity,
  ) {
    super();
  }

  get revision(): InputScope['revision'] {
    const { era, peer } = this.connection;
    return { version: peer.version ?? '', isModern: era === 'modern' };
  }

  protected async openChannel(): Promise<InputChannel> {
    const { openInputChannel } = await import('./open-channel.js');
    return await openInputChannel(this);
  }
}

/**
 * Runs the work of a request that may ask the client. On 2026-07-28 it returns the open input requests, and the retry
 * runs the work again with the answers.
 * @see MCP 2026-07-28, basic/patterns/mrtr
 * @throws ProtocolError if the state is forged, expired or of another request; errors of the work
 */
export async function runWithInput(
  inputScope: ClientInputScope,
  work: () => Promise<WireObject>,
): Promise<WireObject> {
  const { connection, request } = inputScope;
  if (connection.era === 'modern' && isRetry(request)) await inputScope.channel();
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InputRequiredSignal)) throw error;
    const channel = await inputScope.channel();
    return await channel.inputRequired();
  }
}

/** Id of an elicitation that an upstream server sends, and completes by its id. */
function elicitationIdIn(options: AskOptions | undefined): string | undefined {
  const { elicitationId } = (options ?? {}) as { readonly elicitationId?: unknown };
  return typeof elicitationId === 'string' ? elicitationId : undefined;
}

/** True if an answer counts only after the server has sent the input request. */
function isProof(options: AskOptions | undefined): boolean {
  return (options as { readonly isProof?: unknown } | undefined)?.isProof === true;
}

/** Input requests of one handler. */
export class HandlerInput {
  readonly #inputScope: InputScope;
  readonly #part: HandlerInputOptions;
  #questions = 0;
  #calls = 0;
  #isTerminatedKnown = false;

  constructor(inputScope: InputScope, part: HandlerInputOptions) {
    this.#inputScope = inputScope;
    this.#part = part;
  }

  /** Functions of the context. Keys are assigned before the first await, so they follow the order of the calls. */
  interaction(): Interaction {
    const elicit = async (message: string, schema: unknown, options?: AskOptions): Promise<Answer<never>> =>
      await this.#ask(options, async (manner) => {
        const { formQuestion } = await import('./client-requests.js');
        return await formQuestion({ message, schema }, manner);
      });
    return {
      elicit,
      elicitUrl: async (message, url, options) =>
        await this.#ask<UrlAnswer>(options, async (manner) => {
          const { urlQuestion } = await import('./client-requests.js');
          return urlQuestion({ message, url, elicitationId: elicitationIdIn(options) }, manner);
        }),
      sample: async (params, options) =>
        await this.#ask(options, async () => {
          const { samplingQuestion } = await import('./client-requests.js');
          return samplingQuestion(params);
        }),
      roots: async (options) =>
        await this.#ask(options, async () => {
          const { rootsQuestion } = await import('./client-requests.js');
          return rootsQuestion();
        }),
      step: async (name, work) => {
        const key = this.#inputScope.claim('step', this.#part.prefix + name);
        const channel = await this.#inputScope.channel();
        try {
          return (await channel.step(key, work)) as Awaited<ReturnType<typeof work>>;
        } catch (error) {
          this.#inputScope.release('step', key);
          throw error;
        }
      },
    };
  }

  /** Returns the key prefix of the handler's next nested call. */
  nextPrefix(): string {
    this.#calls += 1;
    return `${this.#part.prefix}c${this.#calls}.`;
  }

  /** Returns the outcome of a nested call. Never settles if the client has to be asked first. */
  async outcome<T>(call: Promise<T>): Promise<T> {
    try {
      const value = await call;
      return this.#inputScope.isSuspended ? await neverSettles() : value;
    } catch (error) {
      if (this.#inputScope.isSuspended || this.#isTerminatedKnown) return await neverSettles();
      await this.#failed();
      throw error;
    }
  }

  #nextOrdinal(): string {
    this.#questions += 1;
    return `e${this.#questions}`;
  }

  async #ask<T>(
    options: AskOptions | undefined,
    make: (manner: InputRequestContext) => Promise<InputRequest<T>>,
  ): Promise<T> {
    if (this.#isTerminatedKnown) return await neverSettles();
    try {
      return await this.#askOnce(options, make);
    } catch (error) {
      await this.#failed();
      throw error;
    }
  }

  /** Yields to other work after an error. A handler that retries forever stops once its call is over. */
  async #failed(): Promise<void> {
    await nextTurn();
    this.#isTerminatedKnown = this.#part.limits.at(-1)!.isOver;
  }

  async #askOnce<T>(
    options: AskOptions | undefined,
    make: (manner: InputRequestContext) => Promise<InputRequest<T>>,
  ): Promise<T> {
    const { prefix, limits, note } = this.#part;
    const key = this.#inputScope.claim('question', prefix + (options?.key ?? this.#nextOrdinal()));
    const channel = await pauseDeadlines(limits, () => this.#inputScope.channel());
    return await channel.ask({
      ...this.#part,
      key,
      timeoutMs: options?.timeoutMs,
      isProof: isProof(options),
      make: () => make({ ...this.#inputScope.revision, note }),
    });
  }
}
