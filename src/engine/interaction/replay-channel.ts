import type { ReplayState } from '../live/connection.js';
import type { WireObject } from '../protocol/envelope.js';
import { InputRequiredSignal, neverSettles } from '../runtime/input-required.js';
import type { InputRequest } from './client-requests.js';
import type { InputRequester } from './input-channel.js';
import { type InputChannel, type PendingInput, prepare } from './input-channel.js';
import { emptyReplayState, readState, writeState } from './replay-state.js';
import { Steps } from './replay-steps.js';

/** Opens the channel of one run with the answers of the request. @throws ProtocolError if its state is invalid */
export async function openReplayChannel(requester: InputRequester): Promise<InputChannel> {
  const { requestState: state, inputResponses = {} } = requester.request;
  const { states = { read: readState } } = requester.connection;
  const remembered = state === undefined ? emptyReplayState : await states.read(requester, state);
  return new ReplayInputChannel(requester, remembered, inputResponses);
}

/**
 * Input channel of 2026-07-28. A handler cannot wait for the client: its run ends once only answers are missing, and
 * the retry of the client starts another run with them. All input requests of one run are sent together.
 * @see MCP 2026-07-28, basic/patterns/mrtr
 */
class ReplayInputChannel implements InputChannel {
  readonly #requester: InputRequester;
  readonly #steps: Steps;
  /** Answers of this and earlier runs, by key. */
  readonly #answers: Map<string, unknown>;
  /** `inputResponses` of the request. Unknown keys are ignored. */
  readonly #sentAnswers: ReadonlyMap<string, unknown>;
  readonly #open = new Map<
    string,
    { readonly question: InputRequest<unknown>; readonly asked: PendingInput<unknown> }
  >();
  #preparing = 0;

  constructor(requester: InputRequester, { answers, steps, asked }: ReplayState, sentAnswers: WireObject) {
    this.#requester = requester;
    this.#steps = new Steps(steps, () => this.#endSoon());
    this.#sentAnswers = new Map(Object.entries(sentAnswers));
    const fresh = asked
      .filter((key) => this.#sentAnswers.has(key))
      .map((key) => [key, this.#sentAnswers.get(key)] as const);
    this.#answers = new Map([...fresh, ...Object.entries(answers)]);
  }

  async ask<T>(asked: PendingInput<T>): Promise<T> {
    if (this.#requester.isSuspended) return await neverSettles();
    this.#preparing += 1;
    try {
      const question = await prepare(asked);
      const reading = await this.#read(asked, question);
      if (reading && 'answer' in reading) return reading.answer;
      const open = reading ? (question.again?.(reading.problem) ?? question) : question;
      this.#open.set(asked.key, { question: open, asked });
    } finally {
      this.#preparing -= 1;
      this.#endSoon();
    }
    return await neverSettles();
  }

  async step(key: string, work: () => unknown): Promise<unknown> {
    return this.#requester.isSuspended ? await neverSettles() : await this.#steps.run(key, work);
  }

  async inputRequired(): Promise<WireObject> {
    const requests = [...this.#open].map(([key, { question }]) => {
      const { method, params } = question;
      return [key, { method, ...(params && { params }) }];
    });
    const remembered: ReplayState = {
      answers: Object.fromEntries(this.#answers),
      steps: this.#steps.done,
      asked: [...this.#open.keys()],
    };
    const { states = { write: writeState } } = this.#requester.connection;
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(requests),
      requestState: await states.write(this.#requester, remembered),
    };
  }

  /** Reads an answer; undefined if missing. An invalid answer is dropped, so that the user is asked again. */
  async #read<T>(
    { key, isProof }: PendingInput<T>,
    question: InputRequest<T>,
  ): Promise<ReturnType<InputRequest<T>['read']> | undefined> {
    // Without a state, the client may answer for its user.
    const response = this.#answers.get(key) ?? (isProof ? undefined : this.#sentAnswers.get(key));
    if (response === undefined) return undefined;
    this.#answers.set(key, response);
    const reading = await question.read(response);
    if ('problem' in reading) this.#answers.delete(key);
    return reading;
  }

  /** Ends the run after all work that can continue without the client has had its turn. */
  #endSoon(): void {
    if (this.#open.size > 0) setImmediate(() => this.#end());
  }

  #end(): void {
    if (this.#requester.isSuspended || this.#preparing > 0 || this.#steps.isAnyRunning) return;
    this.#requester.isSuspended = true;
    const reason = new InputRequiredSignal();
    for (const { asked } of this.#open.values()) {
      for (const limit of asked.limits) limit.end(reason);
    }
  }
}
