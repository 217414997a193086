import { modernVersions } from '../protocol/eras.js';
import { neverSettles } from '../runtime/input-required.js';
import type { InputChannel } from './input-channel.js';
import { InputScope } from './input-scope.js';

/** A terminal user that can answer input requests. */
export interface InputUser {
  /** Returns the result for the params of an `elicitation/create`. The request is withdrawn if the signal aborts. */
  answer(
    question: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** Input scope of a call from the command line. Its user answers at the terminal, if there is one. */
export class TerminalInputScope extends InputScope {
  /** The newest revision. */
  readonly revision = { version: modernVersions[0], isModern: true };
  readonly #user: InputUser | undefined;
  readonly #over: AbortSignal;

  /** `over` aborts with the call. Open input requests are withdrawn. */
  constructor(person: InputUser | undefined, over: AbortSignal) {
    super();
    this.#user = person;
    this.#over = over;
  }

  /** True if there is a user and the capability is elicitation. */
  can(capability: string): boolean {
    return this.#user !== undefined && /^elicitation(\.|$)/.test(capability);
  }

  protected async openChannel(): Promise<InputChannel> {
    const { BlockingInputChannel } = await import('./blocking-channel.js');
    return new BlockingInputChannel(async ({ params = {} }) => {
      const result = this.#over.aborted ? undefined : await this.#user!.answer(params, this.#over);
      return this.#over.aborted ? await neverSettles() : { result };
    });
  }
}
