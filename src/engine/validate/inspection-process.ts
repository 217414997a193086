import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../base/folders.js';
import { endTree } from '../base/process-tree.js';
import { type InspectionReply, type InspectionRequest, inspectionMark } from './inspection.js';

/** A request without the id that its process gives it. */
export type InspectionTask = Omit<InspectionRequest, 'id'>;

/** The outcome of one request. `usedBefore`: modules of earlier requests to the process may be the cause. */
export type InspectionOutcome = { readonly usedBefore: boolean } & (
  | InspectionEnd
  | { readonly isLate: true }
);

/** An answer, or the end of the process as a phrase: `it exited with code 1`. */
type InspectionEnd = { readonly answer: InspectionReply } | { readonly died: string };

/** Returns the time that a late answer has beyond the first limit, in milliseconds. Called at that limit. */
export type ExtendTimeLimit = (usedBefore: boolean) => number;

/** Longest time for the start of a process, in milliseconds. Modules have a separate limit. */
export const startTimeoutMs = 30_000;

/** A process that answers one request at a time. The first request after its end starts a new one. */
export class InspectionProcess {
  readonly #mark = randomUUID();
  #process: ChildProcess | undefined;
  #started: Promise<ChildProcess> | undefined;
  #requests = 0;

  /**
   * Sends one request. The caller waits for the outcome before it sends another. A late process is killed.
   * @throws Error if no process can be started
   */
  async attempt(
    task: InspectionTask,
    timeoutMs: number,
    furtherMs: ExtendTimeLimit = () => 0,
  ): Promise<InspectionOutcome> {
    const child = await this.start();
    const usedBefore = this.#requests > 0;
    this.#requests += 1;
    const id = randomUUID();
    const listener = awaitReply(child, id);
    try {
      child.send({ ...task, id });
      const reply =
        (await resultWithin(listener.reply, timeoutMs)) ??
        (await resultWithin(listener.reply, furtherMs(usedBefore)));
      if (!reply || 'died' in reply) this.kill();
      return { usedBefore, ...(reply ?? { isLate: true }) };
    } finally {
      listener.stop();
    }
  }

  /** Starts the process if it is not running. The first request does so, too. */
  start(): Promise<ChildProcess> {
    this.#started ??= this.#start();
    this.#started.catch(() => {});
    return this.#started;
  }

  async #start(): Promise<ChildProcess> {
    const entry = inspectorEntry();
    const child = fork(entry, [`${process.pid}`], {
      // A separate process group, so that all of it can be killed.
      detached: process.platform !== 'win32',
      env: { ...process.env, [inspectionMark]: this.#mark },
      execArgv: ['--experimental-vm-modules', '--no-warnings'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Sending to a process that has just ended fails; its exit reports the same.
    child.on('error', () => {});
    this.#process = child;
    this.#requests = 0;
    const listener = awaitReply(child, 'ready');
    const reply = await resultWithin(listener.reply, startTimeoutMs);
    listener.stop();
    if (reply && 'answer' in reply) return child;
    this.kill();
    const reason = reply?.died ?? `it did not start within ${startTimeoutMs / 1000} s`;
    throw new Error(`The process that inspects modules (${entry}) cannot be used: ${reason}.`);
  }

  /** Kills the process, and everything that modules started in it. */
  kill(): void {
    if (this.#process?.pid !== undefined)
      endTree(this.#process.pid, { name: inspectionMark, value: this.#mark });
    this.#process = undefined;
    this.#started = undefined;
  }
}

/** The entry beside the engine in the bundle; from source, the entry of the last build. */
function inspectorEntry(): string {
  const beside = fileURLToPath(new URL('./inspector-child.js', import.meta.url));
  return existsSync(beside) ? beside : path.join(packageRoot(), 'dist', 'inspector-child.js');
}

/** The result of some work; undefined after the given time. */
async function resultWithin<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, undefined);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the answer with an id, or for the end of the process. */
function awaitReply(
  child: ChildProcess,
  id: string,
): { readonly reply: Promise<InspectionEnd>; stop(): void } {
  let stop = () => {};
  const reply = new Promise<InspectionEnd>((resolve) => {
    const onMessage = (answer: unknown) => {
      if (isReply(answer, id)) resolve({ answer });
    };
    const onExit = (code: number | null, signal: string | null) =>
      resolve({ died: signal ? `it was ended by ${signal}` : `it exited with code ${code}` });
    const onError = (error: Error) => resolve({ died: `it failed: ${error.message}` });
    // Usually the process ends right after. If not, it has closed the connection itself.
    const onDisconnect = () => setTimeout(resolve, 1000, { died: 'it closed its connection' }).unref();
    child.on('message', onMessage).on('exit', onExit).on('error', onError).on('disconnect', onDisconnect);
    stop = () => {
      child
        .off('message', onMessage)
        .off('exit', onExit)
        .off('error', onError)
        .off('disconnect', onDisconnect);
    };
  });
  return { reply, stop: () => stop() };
}

function isReply(reply: unknown, id: string): reply is InspectionReply {
  return typeof reply === 'object' && reply !== null && (reply as { id?: unknown }).id === id;
}
