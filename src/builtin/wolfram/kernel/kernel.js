import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
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

/** Calls that wait for the kernel; more are refused. */
const mostWaiting = 32;

/** A kernel takes seconds to start, the first one after an installation longer. */
const startTimeoutMs = 90_000;

/** One that could not be started is not tried again before this. */
const pauseMs = 10_000;

/** Why no local kernel can answer right now. Nothing has been evaluated. */
export class NoKernel extends Error {
  name = 'NoKernel';
}

/** Too many calls wait already. */
export class TooManyCalls extends Error {
  name = 'TooManyCalls';
}

/** Nothing can be put down for the kernel. */
export class NoTemporaryFolder extends Error {
  name = 'NoTemporaryFolder';
}

const kernels = new Map();

/**
 * The kernel of this machine as the environment names it, started or not.
 * @returns {Promise<Kernel | undefined>} undefined when there is none
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

/** wolframscript first, which knows the activation and the kernel; the kernel itself where there is none. */
async function launchOf(env) {
  const script = await findWolframscript(env);
  if (script) return { command: script, args: ['-file', loopFile] };
  const kernel = await findKernel(env);
  if (!kernel) return undefined;
  return { command: kernel, args: ['-noinit', '-noprompt', '-run', `Get[${JSON.stringify(loopFile)}]`] };
}

/** One kernel for all calls, which it takes one after the other: started by the first, and again when it has ended. */
export class Kernel {
  /** Where its sessions are kept. */
  saved;
  deployment = new Deployment();
  /** Sessions that it knows, the one used last at the end. */
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
   * Does work with the running kernel, when those before are done.
   * @template T
   * @param {(process: KernelProcess) => Promise<T>} work
   * @returns {Promise<T>}
   * @throws {NoKernel | TooManyCalls}
   */
  async use(work, signal) {
    if (this.#waiting >= mostWaiting) {
      throw new TooManyCalls(
        `${mostWaiting} evaluations wait for the Wolfram kernel already. Call again when some of them are done.`,
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

  async #running(signal) {
    if (this.#process && !this.#process.isOver) return this.#process;
    this.live.clear();
    if (this.#failure && Date.now() < this.#failure.until) throw new NoKernel(this.#failure.message);
    try {
      this.#process = await KernelProcess.start({
        ...this.#launch,
        env: withoutKeys(process.env),
        // Where accounts have no home, a program would be said to be missing.
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

/** A call that is cancelled while it waits leaves at once; work under way ends by the same signal. */
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

/** A folder for the time of some work. @throws {NoTemporaryFolder} */
export async function inTemporaryFolder(work) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agenttools-wolfram-')).catch((error) => {
    throw new NoTemporaryFolder(
      `No temporary folder can be made in ${os.tmpdir()} (${error.code}). Make room there, or start the server with TMPDIR set to a folder that can be written to.`,
    );
  });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
