import { modernVersions } from '../protocol/eras.js';
import { neverSettles } from '../runtime/input-required.js';
import type { InputChannel } from './input-channel.js';
import { InputScope } from './input-scope.js';

/** Whoever called, as far as they can be asked. */
export interface InputUser {
  /** What they make of the params of an `elicitation/create`: its result. It is taken back when the signal aborts. */
  answer(
    question: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** The conversation of a call that no client made, with the person who did, if any is there. */
export class TerminalInputScope extends InputScope {
  /** The newest way of asking there is. */
  readonly revision = { version: modernVersions[0], isModern: true };
  readonly #person: InputUser | undefined;
  readonly #over: AbortSignal;

  /** `over` aborts with the call: what it has not waited for is no longer asked. */
  constructor(person: InputUser | undefined, over: AbortSignal) {
    super();
    this.#person = person;
    this.#over = over;
  }

  /** Whether somebody is there who has what would be a capability of a client. */
  can(capability: string): boolean {
    return this.#person !== undefined && /^elicitation(\.|$)/.test(capability);
  }

  protected async meet(): Promise<InputChannel> {
    const { BlockingInputChannel } = await import('./blocking-channel.js');
    return new BlockingInputChannel(async ({ params = {} }) => {
      const result = this.#over.aborted ? undefined : await this.#person!.answer(params, this.#over);
      return this.#over.aborted ? await neverSettles() : { result };
    });
  }
}
