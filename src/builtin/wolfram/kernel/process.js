import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { readLine, requestLine } from './lines.js';

/** A longer line of answer is none: nothing that fits a result is that long. */
const longestLine = 96 * 1024 * 1024;

/** So much of what a kernel says beside its answers is kept. */
const longestWords = 64 * 1024;

/** The pipes of a kernel that has ended may stay open so long. */
const lastWordsMs = 1000;

/** What kernels say that wait for an activation, or have none; some of them in the middle of a line. */
const wantsActivation =
  /Wolfram ID:|one-time activation|not activated|activation (?:key|is required)|valid password|licen[sc]e (?:has )?expired|product exited because of a license error/i;

/** The kernel could not be started. The message says why, in its own words where it had some. */
export class StartFailure extends Error {
  name = 'StartFailure';
}

/** The kernel ended in the middle of a request, by itself or by us. */
export class KernelEnded extends Error {
  name = 'KernelEnded';

  /** @param {'crash' | 'late' | 'flood' | 'cancelled'} reason */
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/** The kernels that have not ended. */
const running = new Set();

/** Nothing is left behind, however this process ends. */
function endWithProcess(kernel) {
  if (!isWatching) process.once('exit', endAll);
  isWatching = true;
  running.add(kernel);
}

let isWatching = false;

function endAll() {
  for (const kernel of running) kernel.kill();
}

/**
 * Ends a group when this process is gone without having said so: who is killed ends nothing, and a kernel that computes
 * looks at no pipe. Windows has no groups to end.
 * @returns what says that the group is over
 */
function endGroupWithUs(pid) {
  if (process.platform === 'win32' || pid === undefined) return () => {};
  const guard = spawn('/bin/sh', ['-c', 'read -r line || kill -9 "-$0"', `${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    cwd: '/',
    detached: true,
  });
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  guard.stdin.unref?.();
  return () => guard.stdin.end('over\n');
}

/** A kernel that runs our loop: asked one thing at a time, over its stdin and stdout. */
export class KernelProcess {
  /** What it said beside its answers, since it was last taken. */
  #words = '';
  #chunks = [];
  #length = 0;
  #isOver = false;
  #onLine;
  #onEnd;
  #child;

  /** Starts it. @throws {StartFailure} */
  static async start({ command, args, env, cwd, startTimeoutMs, signal }) {
    const word = randomBytes(16).toString('hex');
    const kernel = new KernelProcess();
    kernel.#spawn({ command, args, cwd, env: { ...env, AGENTTOOLS_LOOP: word } });
    try {
      kernel.greeting = await kernel.#wait({
        word,
        timeoutMs: startTimeoutMs,
        signal,
        onWords: (words) => {
          if (wantsActivation.test(words)) throw new StartFailure('it is not activated');
        },
      });
      return kernel;
    } catch (error) {
      kernel.kill();
      if (error instanceof KernelEnded && error.reason === 'cancelled') throw error;
      const why =
        error instanceof KernelEnded && error.reason === 'late'
          ? `it was not ready within ${Math.round(startTimeoutMs / 1000)} s`
          : error.message;
      throw new StartFailure(`${why}${kernel.lastWords()}`, { cause: error });
    }
  }

  get isOver() {
    return this.#isOver;
  }

  /**
   * Asks, and waits for the answer.
   * @param {object} request
   * @param {{ timeoutMs: number, signal?: AbortSignal, onNews?: (message: object, more: { extend: (ms: number) => void }) => void, check?: () => void }} options
   *   `check` looks from time to time whether to go on, and throws if not.
   * @throws {KernelEnded}
   */
  async ask(request, options) {
    const word = randomBytes(16).toString('hex');
    this.#words = '';
    try {
      const answered = this.#wait({ ...options, word });
      this.#child.stdin.write(requestLine({ ...request, word }));
      return await answered;
    } catch (error) {
      this.kill();
      throw error;
    }
  }

  /** What it said beside its answers since the last request. */
  takeWords() {
    const words = this.#words;
    this.#words = '';
    return words;
  }

  /** The end of what it said, for a message; empty when it said nothing. */
  lastWords() {
    const lines = stripVTControlCharacters(this.#words)
      .split('\n')
      .map((line) => line.replace(/\p{Cc}/gu, ' ').trim())
      .filter((line) => line !== '' && !line.startsWith('@@'));
    return lines.length === 0 ? '' : `: ${lines.slice(-3).join(' ').slice(-500)}`;
  }

  /** Ends it at once, with whatever it started. */
  kill() {
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    this.#isOver = true;
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/T', '/F', '/PID', `${pid}`], { stdio: 'ignore', windowsHide: true });
      return;
    }
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }

  #spawn({ command, args, cwd, env }) {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // A group of its own: wolframscript starts the kernel, and both have to end together.
      detached: process.platform !== 'win32',
    });
    this.#child = child;
    endWithProcess(this);
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text) => this.#read(text));
    child.stderr.setEncoding('utf8').on('data', (text) => this.#keep(text));
    const sayOver = endGroupWithUs(child.pid);
    const pipes = [child.stdin, child.stdout, child.stderr];
    const end = (message) => {
      running.delete(this);
      sayOver();
      // The group may hold what it started.
      this.kill();
      this.#isOver = true;
      for (const pipe of pipes) pipe.destroy();
      this.#onEnd?.(new KernelEnded('crash', message));
    };
    child.once('error', (error) => end(`it cannot be run (${error.code ?? error.message})`));
    child.once('exit', (code, signal) => {
      const message = `it ended (${signal ?? `exit code ${code}`})`;
      // What it said last is read; what it started and left the pipes to is not waited for.
      const timer = setTimeout(end, lastWordsMs, message).unref();
      child.once('close', () => {
        clearTimeout(timer);
        end(message);
      });
    });
    // An idle kernel keeps nobody from ending.
    child.unref();
    for (const pipe of pipes) pipe.unref?.();
  }

  async #wait({ word, timeoutMs, signal, onNews, onWords, check }) {
    let timer;
    let clock;
    let onAbort;
    try {
      return await new Promise((resolve, reject) => {
        const late = () => reject(new KernelEnded('late', 'it gave no answer in time'));
        const extend = (ms) => {
          clearTimeout(timer);
          timer = setTimeout(late, ms);
        };
        const guarded = (work) => {
          try {
            work();
          } catch (error) {
            reject(error);
          }
        };
        onAbort = () => reject(new KernelEnded('cancelled', 'it was cancelled'));
        if (signal?.aborted) return onAbort();
        signal?.addEventListener('abort', onAbort);
        if (this.#isOver) return reject(new KernelEnded('crash', 'it has ended'));
        this.#onEnd = reject;
        this.#onLine = (line) => {
          const found = readLine(line, word);
          if (!found) return false;
          if (found.isFinal) resolve(found.message);
          else guarded(() => onNews?.(found.message, { extend }));
          return true;
        };
        this.#onWords = onWords && ((words) => guarded(() => onWords(words)));
        extend(timeoutMs);
        if (check) clock = setInterval(() => guarded(check), 250);
      });
    } finally {
      clearTimeout(timer);
      clearInterval(clock);
      signal?.removeEventListener('abort', onAbort);
      this.#onEnd = undefined;
      this.#onLine = undefined;
      this.#onWords = undefined;
    }
  }

  #onWords;

  #read(text) {
    this.#chunks.push(text);
    this.#length += text.length;
    if (!text.includes('\n')) {
      if (this.#length > longestLine) return this.#flood();
      // A question that waits for an answer ends in no line.
      this.#onWords?.(`${this.#words}${text.slice(0, longestWords)}`);
      return;
    }
    const lines = this.#chunks.join('').split('\n');
    const rest = lines.pop();
    this.#chunks = rest === '' ? [] : [rest];
    this.#length = rest.length;
    for (const line of lines) {
      if (line.length > longestLine) return this.#flood();
      if (!this.#onLine?.(line.trimEnd())) this.#keep(`${line}\n`);
    }
    if (rest !== '') this.#onWords?.(`${this.#words}${rest.slice(0, longestWords)}`);
  }

  #flood() {
    this.#chunks = [];
    this.#length = 0;
    this.#onEnd?.(new KernelEnded('flood', 'it wrote a line without an end'));
    this.kill();
  }

  #keep(text) {
    if (this.#words.length < longestWords) this.#words += text.slice(0, longestWords - this.#words.length);
    this.#onWords?.(this.#words);
  }
}
