import process from 'node:process';
import { ProtocolError } from '../../items/builders.js';
import { messageOf } from '../../thrown.js';
import type { FromHost, ToHost } from './messages.js';
import { Runner } from './runner.js';

// Kept before code of extensions loads.
const afterTurn = process.nextTick;
const afterWriting = setImmediate;
const { create } = Object;

function bare(): Record<number, never> {
  return create(null) as Record<number, never>;
}

export interface EndpointOptions {
  readonly send: (message: FromHost) => void;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /**
   * Runs after calls, once for all that end in one turn of the event loop. Undoes changes that code has made to built-ins
   * and gives the first, in words.
   */
  readonly inspect: () => string | undefined;
  /** Ends what runs the code, after its exit handlers. */
  readonly exit: () => void;
}

/** Takes the messages of the front and has a runner do what they ask for. */
export class Endpoint {
  readonly #options: EndpointOptions;
  #runner: Runner | undefined;
  /** Answers of this turn by number. It inherits nothing that code could change. */
  #answers: Record<number, Answer> = bare();
  #answerCount = 0;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  receive(message: ToHost): void {
    const { send, report, exit } = this.#options;
    if (message.type === 'start') {
      this.#runner = new Runner(message.hosted, { send, report });
      return;
    }
    const runner = this.#runner;
    if (!runner) return;
    switch (message.type) {
      case 'ping':
        void this.#finish(message.call, Promise.resolve({}));
        return;
      case 'describe':
        void this.#finish(message.call, runner.describe(message.file));
        return;
      case 'place':
        void this.#finish(message.call, runner.place(message.id));
        return;
      case 'place-key':
        void this.#finish(message.call, runner.placeKey(message.id));
        return;
      case 'upstream-tools':
      case 'upstream-ask':
      case 'upstream-progress':
      case 'upstream-log':
        runner.takeFromUpstream(message);
        return;
      case 'end-tasks':
        void this.#finish(message.call, runner.endTasks(message.limitMs));
        return;
      case 'compose':
        void this.#finish(message.call, runner.compose());
        return;
      case 'exclude':
        runner.exclude(message.excluded, message.hooks);
        return;
      case 'open':
        runner.open(message.connection, message.opened);
        return;
      case 'update':
        runner.update(message.connection, message);
        return;
      case 'close':
        runner.close(message.connection);
        return;
      case 'request':
        void this.#finish(message.call, runner.run(message));
        return;
      case 'cancel':
        runner.cancel(message.call, message.reason);
        return;
      case 'answer':
      case 'failure':
        runner.settle(message);
        return;
      case 'end':
        runner.end();
        // Listeners of the signal have their turn first.
        setImmediate(exit);
    }
  }

  async #finish(call: number, work: Promise<object>): Promise<void> {
    try {
      const result = (await work) as Extract<Answer, { type: 'result' }>['result'];
      this.#answer({ type: 'result', call, result });
    } catch (error) {
      this.#answer({ type: 'error', call, error: bodyOf(error) });
    }
  }

  #answer(answer: Answer): void {
    this.#answers[this.#answerCount] = answer;
    this.#answerCount += 1;
    if (this.#answerCount === 1) afterTurn(this.#sendAnswers);
  }

  readonly #sendAnswers = (): void => {
    const { send } = this.#options;
    if (isWritingChanged()) this.#inspect();
    const answers = this.#answers;
    const count = this.#answerCount;
    this.#answers = bare();
    this.#answerCount = 0;
    for (let index = 0; index < count; index += 1) send(answers[index]!);
    // The client need not wait for it.
    afterWriting(this.#inspect);
  };

  readonly #inspect = (): void => {
    const { send, inspect } = this.#options;
    const change = inspect();
    if (change !== undefined) send({ type: 'changed', change });
  };
}

/** True if code has changed how JSON is written, which would change the answers. */
function isWritingChanged(): boolean {
  try {
    return 'toJSON' in object || 'toJSON' in list;
  } catch {
    return true;
  }
}

const object = {};
const list: readonly unknown[] = [];

type Answer = Extract<FromHost, { readonly type: 'result' | 'error' }>;

function bodyOf(error: unknown): Extract<Answer, { type: 'error' }>['error'] {
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return { code, message, ...(data !== undefined && { data }) };
  }
  return { message: messageOf(error) };
}
