import { ProtocolError } from '../../items/builders.js';
import { messageOf } from '../../thrown.js';
import type { FromHost, ToHost } from './messages.js';
import { Runner } from './runner.js';

export interface EndpointOptions {
  readonly send: (message: FromHost) => void;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
  /** Runs after each call; gives the first change that code has made to a built-in, in words. */
  readonly inspect: () => string | undefined;
  /** Ends what runs the code, after its exit handlers. */
  readonly exit: () => void;
}

/** Takes the messages of the front and has a runner do what they ask for. */
export class Endpoint {
  readonly #options: EndpointOptions;
  #runner: Runner | undefined;

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
      case 'compose':
        void this.#finish(message.call, runner.compose());
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
    const { send, inspect } = this.#options;
    try {
      const result = (await work) as Extract<FromHost, { type: 'result' }>['result'];
      send({ type: 'result', call, result, ...changedBy(inspect()) });
    } catch (error) {
      const changed = inspect();
      send({ type: 'error', call, error: bodyOf(error), ...changedBy(changed) });
    }
  }
}

function changedBy(changed: string | undefined): { readonly changed?: string } {
  return changed === undefined ? {} : { changed };
}

function bodyOf(error: unknown): Extract<FromHost, { type: 'error' }>['error'] {
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return { code, message, ...(data !== undefined && { data }) };
  }
  return { message: messageOf(error) };
}
