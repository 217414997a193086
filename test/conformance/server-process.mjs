import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** How long a server may take to listen, and to end once it is told to. */
const limitMs = 30_000;

/**
 * A process of the server under test. One that ends unasked, or does not end when asked, is told of with its stderr, which
 * goes into the log, too.
 */
export class ServerProcess {
  child;
  #said = '';
  #isEnding = false;
  #tell;
  #ended;

  /**
   * @param {{ command: string, args: readonly string[], env: NodeJS.ProcessEnv, log: string }} program
   * @param {(fault: string) => void} tell
   */
  constructor({ command, args, env, log }, tell) {
    this.#tell = tell;
    this.child = spawn(command, args, { env, stdio: 'pipe' });
    this.child.stdin.on('error', () => {});
    this.child.stderr.setEncoding('utf8').on('data', (chunk) => {
      this.#said += chunk;
      appendFileSync(log, chunk);
    });
    this.#ended = once(this.child, 'close').then(([code, signal]) => {
      if (!this.#isEnding) tell(`The server ended with ${code ?? signal}: ${this.#said}`);
    });
  }

  /** What it says first on stdout. @throws with its stderr if it says nothing */
  async firstLine() {
    const lines = createInterface({ input: this.child.stdout });
    const line = await Promise.race([
      once(lines, 'line', { signal: AbortSignal.timeout(limitMs) }).catch(() => undefined),
      this.#ended,
    ]);
    if (line) return line[0];
    this.child.kill('SIGKILL');
    await this.#ended;
    throw new Error(`The server does not start: ${this.#said}`);
  }

  /** Ends it in the way that is given. */
  async end(how) {
    this.#isEnding = true;
    how(this.child);
    const timer = setTimeout(() => {
      this.#tell(`The server did not end within ${limitMs / 1000} s: ${this.#said}`);
      this.child.kill('SIGKILL');
    }, limitMs);
    await this.#ended;
    clearTimeout(timer);
  }
}
