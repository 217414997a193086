import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { dataFolder } from './data-folder.js';
import { Deployment } from './deployment.js';
import { KernelProcess, StartFailure } from './process.js';
import { findKernel, findWolframscript, withoutKeys } from './programs.js';
import { SavedSessions } from './sessions.js';

const loopFile = fileURLToPath(new URL('./kernel-loop.wl', import.meta.url));

/** Most calls that wait for the kernel. Further calls are refused. */
const mostWaiting = 32;

/** Kernels start in seconds; the first start after an installation takes longer. */
const startTimeoutMs = 90_000;

/** Delay before a new attempt after a failed start. */
const pauseMs = 10_000;

/** No local kernel is available now. No code was evaluated. */
export class NoKernel extends Error {
  name = 'NoKernel';
}

/** Too many calls are waiting. */
export class TooManyCalls extends Error {
  name = 'TooManyCalls';
}

const kernels = new Map();

/**
 * The kernel that the environment selects, running or not.
 * @returns {Promise<Kernel | undefined>} undefined without one
 * @throws {MissingProgram}
 */
export async function localKernel(env = process.env) {
  const launch = await launchOf(env);
  if (!launch) return undefined;
  const folder = path.join(dataFolder({ env }), 'wolfram', 'sessions');
  const key = JSON.stringify([launch, folder]);
  if (!kernels.has(key)) kernels.set(key, new Kernel(launch, new SavedSessions(folder)));
  return kernels.get(key);
}

/** Prefers wolframscript, which knows activation and kernel, to the kernel program. */
async function launchOf(env) {
  const script = await findWolframscript(env);
  if (script) return { command: script, args: ['-file', loopFile] };
  const kernel = await findKernel(env);
  if (!kernel) return undefined;
  return { command: kernel, args: ['-noinit', '-noprompt', '-run', `Get[${JSON.stringify(loopFile)}]`] };
}

/** One kernel for all calls, which run one after the other. Starts for the first call, and again after it has ended. */
export class Kernel {
  /** Storage of its sessions. */
  saved;
  deployment = new Deployment();
  /** Sessions loaded in the kernel, the most recent one last. */
  live = new Set();
  #launch;
  #process;
  #failure;
  #waiting = 0;
  #last = Promise.resolve();

  constructor(launch, saved) {
    this.#launch = launch;
    this.saved = saved;
  }

  /**
   * Runs work with the started kernel after all earlier work.
   * @template T
   * @param {(process: KernelProcess) => Promise<T>} work
   * @returns {Promise<T>}
   * @throws {NoKernel | TooManyCalls}
   */
  async use(work, signal) {
    if (this.#waiting >= mostWaiting) {
      throw new TooManyCalls(
        `${mostWaiting} evaluations are already waiting for the Wolfram kernel. Call again when some of them are done.`,
      );
    }
    this.#waiting += 1;
    const turn = this.#last.then(async () => {
      signal?.throwIfAborted();
      return await work(await this.#running(signal));
    });
    this.#last = turn.then(
      () => {},
      () => {},
    );
    try {
      return await orAborted(turn, signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** True while calls run or wait. */
  get isBusy() {
    return this.#waiting > 0;
  }

  async #running(signal) {
    if (this.#process && !this.#process.isOver) return this.#process;
    this.live.clear();
    if (this.#failure && Date.now() < this.#failure.until) throw new NoKernel(this.#failure.message);
    try {
      this.#process = await KernelProcess.start({
        ...this.#launch,
        env: withoutKeys(process.env),
        // A missing working directory would be reported as a missing program.
        cwd: existsSync(os.homedir()) ? os.homedir() : os.tmpdir(),
        startTimeoutMs,
        signal,
      });
      this.#failure = undefined;
      return this.#process;
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      this.#failure = { until: Date.now() + pauseMs, message: error.message };
      throw new NoKernel(error.message);
    }
  }
}

/** Waits for a turn. Cancellation ends the wait at once; running work handles the same signal. */
async function orAborted(turn, signal) {
  if (!signal) return await turn;
  let onAbort;
  const aborted = new Promise((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([turn, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
