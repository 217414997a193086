import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { AgentToolsError } from '../../engine/base/errors.js';
import type { Host } from '../../host.js';
import { terminalWidth } from './terminal-width.js';

/** Answers of the user to several questions, line by line. A line that arrives early answers the next question. */
export class TerminalLines {
  readonly #stderr: Host['stderr'];
  readonly #interface: Interface;
  readonly #early: string[] = [];
  #receive: ((line: string | undefined) => void) | undefined;
  /** Echo is off for secrets, and between questions, since an early line may be a secret. */
  #isMuted = true;
  #isClosed = false;
  #isInterrupted = false;

  constructor({ stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>) {
    this.#stderr = stderr;
    const output = new Writable({
      write: (chunk, _, done) => {
        if (!this.#isMuted) stderr.write(chunk);
        done();
      },
    });
    Object.assign(output, { columns: terminalWidth(stderr) });
    this.#interface = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
    this.#interface.on('line', (line) => this.#take(line));
    this.#interface.once('SIGINT', () => {
      this.#isInterrupted = true;
      this.#interface.close();
    });
    this.#interface.once('close', async () => {
      // The last line can arrive in the same chunk as the end of input.
      await setImmediate();
      this.#isClosed = true;
      this.#receive?.(undefined);
    });
  }

  /**
   * Asks one question; undefined if the input ends, as at Ctrl-D. `isHidden`: the answer is not shown.
   * @throws AgentToolsError `interrupted` at Ctrl-C
   */
  async ask(question: string, { isHidden }: { readonly isHidden: boolean }): Promise<string | undefined> {
    const early = this.#early.shift();
    if (early !== undefined || this.#isClosed) {
      this.#stderr.write(`${question}\n`);
      return early;
    }
    const answer = new Promise<string | undefined>((resolve) => {
      this.#receive = resolve;
    });
    if (isHidden) this.#stderr.write(question);
    this.#isMuted = isHidden;
    this.#interface.setPrompt(isHidden ? '' : question);
    this.#interface.prompt();
    const line = await answer;
    this.#receive = undefined;
    if (isHidden || line === undefined) this.#stderr.write('\n');
    if (this.#isInterrupted) throw new AgentToolsError('interrupted', 'Interrupted.');
    return line;
  }

  close(): void {
    this.#interface.close();
  }

  #take(text: string): void {
    this.#isMuted = true;
    const line = text.trim();
    const receive = this.#receive;
    this.#receive = undefined;
    if (receive) receive(line);
    else this.#early.push(line);
  }
}
