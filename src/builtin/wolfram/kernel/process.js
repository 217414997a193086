import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { readLine, requestLine } from './lines.js';

/** Limit of a response line, above the size of any valid result. */
const longestLine = 96 * 1024 * 1024;

/** Limit of stored output beside responses. */
const longestWords = 64 * 1024;

/** Time that the pipes of an ended kernel may stay open. */
const lastWordsMs = 1000;

/** Messages of kernels without activation, some of them in the middle of a line. */
const wantsActivation =
  /Wolfram ID:|one-time activation|not activated|activation (?:key|is required)|valid password|licen[sc]e (?:has )?expired|product exited because of a license error/i;

/** The kernel could not be started. The message gives the reason, in the kernel's words if available. */
export class StartFailure extends Error {
  name = 'StartFailure';
}

/** The kernel ended during a request, by itself or through AgentTools. */
export class KernelEnded extends Error {
  name = 'KernelEnded';

  /** @param {'crash' | 'late' | 'flood' | 'cancelled'} reason */
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}

/** Kernels that run. */
const running = new Set();

/** Ends the kernel with this process. */
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
 * Ends a process group when this process is gone, even after SIGKILL. A busy kernel does not notice a closed pipe.
 * Windows has no process groups.
 * @returns a function that reports the end of the group
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

/** A kernel that runs the request loop. Handles one request at a time over stdin and stdout. */
export class KernelProcess {
  /** Output beside responses since it was last taken. */
  #words = '';
  #chunks = [];
  #length = 0;
  #isOver = false;
  #onLine;
  #onEnd;
  #child;

  /** Starts a kernel. @throws {StartFailure} */
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
   * Sends a request and waits for the response.
   * @param {object} request
   * @param {{ timeoutMs: number, signal?: AbortSignal, onNews?: (message: object, more: { extend: (ms: number) => void }) => void, check?: () => void }} options
   *   `check` runs at intervals and throws to end the request.
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

  /** Returns and clears the output beside responses since the last request. */
  takeWords() {
    const words = this.#words;
    this.#words = '';
    return words;
  }

  /** The end of the output, for an error message; empty without output. */
  lastWords() {
    const lines = stripVTControlCharacters(this.#words)
      .split('\n')
      .map((line) => line.replace(/\p{Cc}/gu, ' ').trim())
      .filter((line) => line !== '' && !line.startsWith('@@'));
    return lines.length === 0 ? '' : `: ${lines.slice(-3).join(' ').slice(-500)}`;
  }

  /** Ends the kernel and its child processes at once. */
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
      // The kernel has already ended.
    }
  }

  #spawn({ command, args, cwd, env }) {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // A separate group: wolframscript starts the kernel, and both must end together.
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
      // The group can hold child processes of the kernel.
      this.kill();
      this.#isOver = true;
      for (const pipe of pipes) pipe.destroy();
      this.#onEnd?.(new KernelEnded('crash', message));
    };
    child.once('error', (error) => end(`it cannot be run (${error.code ?? error.message})`));
    child.once('exit', (code, signal) => {
      const message = `it ended (${signal ?? `exit code ${code}`})`;
      // Read the last output, without waiting for child processes that inherited the pipes.
      const timer = setTimeout(end, lastWordsMs, message).unref();
      child.once('close', () => {
        clearTimeout(timer);
        end(message);
      });
    });
    // An idle kernel must not keep this process alive.
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
      // A prompt for input does not end with a newline.
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
    this.#onEnd?.(new KernelEnded('flood', 'it wrote an overlong line'));
    this.kill();
  }

  #keep(text) {
    if (this.#words.length < longestWords) this.#words += text.slice(0, longestWords - this.#words.length);
    this.#onWords?.(this.#words);
  }
}
