import type { InputResponse } from '../interaction/client-requests.js';
import { ownerKey, quotaKey } from '../live/request-keys.js';
import type { WireObject } from '../protocol/envelope.js';
import type { RequestContext } from '../protocol/request.js';
import { internalError } from '../protocol/request-errors.js';
import { deadlines } from '../runtime/deadlines.js';
import { ProtocolError } from '../runtime/result-builders.js';
import type { ServerRuntime } from '../runtime/server-runtime.js';

/** Time between two polls that clients should keep, in milliseconds. */
const pollIntervalMs = 1000;

/**
 * Time that a task is kept beyond its timeout, in milliseconds: for users to answer, and for clients to fetch results.
 */
const keptMs = 3_600_000;

/** Most tasks that are kept at once: of a server, and of one user. */
const maxStoredTasks = 1000;
const maxTasksPerUser = 100;

type TaskOutcome = { readonly result: WireObject } | { readonly error: WireObject };

/** Longest wait for an answer in milliseconds, and the signal that ends it early. */
interface TaskWait {
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
}

interface TaskOptions {
  /** Longest run of the work, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the work. */
  readonly abort: () => void;
}

/** A call that no client waits for: its progress, its input requests, and its outcome. @see SEP-2663, Tasks */
export class Task {
  readonly id = crypto.randomUUID();
  /** Resolves when the work ends, even if the task was cancelled before. */
  readonly ended: Promise<void>;
  readonly #created = new Date();
  readonly #ttlMs: number;
  readonly #abort: () => void;
  readonly #open = new Map<
    string,
    { readonly request: WireObject; readonly answer: (response: unknown) => void }
  >();
  /** All keys of input requests so far. No key may be used twice. */
  readonly #keys = new Set<string>();
  #updated = this.#created;
  #message: string | undefined;
  #outcome: TaskOutcome | undefined;
  #isCancelled = false;
  #end: () => void = () => {};

  constructor({ timeoutMs, abort }: TaskOptions) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#ttlMs = Math.ceil(timeoutMs) + keptMs;
    this.#abort = abort;
  }

  get isOver(): boolean {
    return this.#isCancelled || this.#outcome !== undefined;
  }

  /** Time of the last change. */
  get updated(): Date {
    return this.#updated;
  }

  get isExpired(): boolean {
    return Date.now() > this.#created.getTime() + this.#ttlMs;
  }

  /** The result for the client that called the tool. */
  handle(): WireObject {
    return { resultType: 'task', ...this.#fields('working') };
  }

  /** The present state, for clients. */
  describe(): WireObject {
    if (this.#isCancelled) return this.#fields('cancelled');
    if (this.#outcome) {
      const status = 'result' in this.#outcome ? 'completed' : 'failed';
      return { ...this.#fields(status), ...this.#outcome };
    }
    if (this.#open.size === 0) return this.#fields('working');
    const requests = [...this.#open].map(([key, { request }]) => [key, request]);
    return { ...this.#fields('input_required'), inputRequests: Object.fromEntries(requests) };
  }

  /** Reports progress. */
  reportProgress(message: string): void {
    if (!this.isOver) this.#change(() => (this.#message = message));
  }

  /** Sets the outcome. A cancelled task ignores it. */
  finish(outcome: TaskOutcome): void {
    this.#end();
    if (this.isOver) return;
    this.#change(() => {
      this.#outcome = outcome;
      this.#message = 'error' in outcome ? String(outcome.error.message) : undefined;
    });
  }

  /** Cancels the task, unless it has ended. */
  cancel(): void {
    if (this.isOver) return;
    this.#change(() => (this.#isCancelled = true));
    this.#abort();
  }

  /** Asks the clients that poll the task. Rejects when the work is over. */
  ask(key: string, request: WireObject, { signal, timeoutMs }: TaskWait): Promise<InputResponse> {
    const free = this.#claim(key);
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        this.#change(() => this.#open.delete(free));
        if (wait) deadlines.remove(wait);
        signal.removeEventListener('abort', abort);
        end();
      };
      const abort = () => settle(() => reject(signal.reason));
      const late = () => settle(() => resolve({ failure: 'no answer in time' }));
      const wait = timeoutMs === undefined ? undefined : deadlines.add(timeoutMs, late);
      const answer = (result: unknown) => settle(() => resolve({ result }));
      this.#change(() => this.#open.set(free, { request, answer }));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  }

  /** Accepts answers. Ignores answers to unknown or closed input requests. */
  answer(responses: WireObject): void {
    for (const [key, response] of Object.entries(responses)) this.#open.get(key)?.answer(response);
  }

  /** A repeated input request gets a new key. */
  #claim(key: string): string {
    let free = key;
    for (let attempt = 2; this.#keys.has(free); attempt += 1) free = `${key}.${attempt}`;
    this.#keys.add(free);
    return free;
  }

  #change(change: () => unknown): void {
    change();
    this.#updated = new Date();
  }

  #fields(status: string): WireObject {
    return {
      taskId: this.id,
      status,
      ...(this.#message !== undefined && { statusMessage: this.#message }),
      createdAt: this.#created.toISOString(),
      lastUpdatedAt: this.#updated.toISOString(),
      ttlMs: Number.isSafeInteger(this.#ttlMs) ? this.#ttlMs : null,
      pollIntervalMs,
    };
  }
}

/** A finished task that ran in an extension host. */
class SettledTask {
  readonly id: string;
  readonly isOver = true;
  readonly ended = Promise.resolve();
  readonly updated = new Date();
  readonly #description: WireObject;
  readonly #expires: number;

  constructor(id: string, description: WireObject) {
    this.id = id;
    this.#description = description;
    const { createdAt, ttlMs } = description;
    const expires = Date.parse(String(createdAt)) + Number(ttlMs ?? Number.NaN);
    this.#expires = Number.isNaN(expires) ? Date.now() + keptMs : expires;
  }

  get isExpired(): boolean {
    return Date.now() > this.#expires;
  }

  describe(): WireObject {
    return this.#description;
  }

  answer(): void {}

  cancel(): void {}
}

interface StoredTask {
  readonly task: Task | SettledTask;
  readonly owner: string;
  readonly user: string | undefined;
}

/** The tasks of one server, from all of its connections. They live as long as the process. */
export class Tasks {
  readonly #tasks = new Map<string, StoredTask>();
  #isEnding = false;

  /** @throws ProtocolError if there are too many tasks, or the server is ending */
  begin(request: RequestContext, options: TaskOptions): Task {
    if (this.#isEnding) throw new ProtocolError(internalError, 'This server is ending.');
    this.#forgetExpired();
    const auth = request.auth;
    const user = quotaKey(auth);
    this.#makeRoom(user);
    const task = new Task(options);
    this.#tasks.set(task.id, { task, owner: ownerKey(auth), user });
    return task;
  }

  /** Stores a finished task by its description. Removes the task that ended first, if there are too many. */
  adopt(description: WireObject, auth: RequestContext['auth']): void {
    const { taskId } = description;
    if (typeof taskId !== 'string') return;
    const user = quotaKey(auth);
    this.#forgetExpired();
    this.#makeRoom(user);
    this.#tasks.set(taskId, { task: new SettledTask(taskId, description), owner: ownerKey(auth), user });
  }

  has(id: unknown): boolean {
    return this.#tasks.has(id as string);
  }

  /** Calls `onEnd` with the description of a task when its work ends, and removes the task. */
  release(id: unknown, onEnd: (description: WireObject) => void): void {
    const kept = this.#tasks.get(id as string);
    void kept?.task.ended.then(() => {
      this.#tasks.delete(id as string);
      onEnd(kept.task.describe());
    });
  }

  /** The task of an id, if the client owns it. @see SEP-2663, Security Implications, "Auth binding" */
  find(id: string, request: RequestContext): Task | SettledTask | undefined {
    this.#forgetExpired();
    const found = this.#tasks.get(id);
    return found?.owner === ownerKey(request.auth) ? found.task : undefined;
  }

  /** Cancels all tasks and waits until their work has ended, at most `limitMs` milliseconds. */
  async end(limitMs: number): Promise<void> {
    this.#isEnding = true;
    const tasks = [...this.#tasks.values()].map(({ task }) => task);
    for (const task of tasks) task.cancel();
    await new Promise<void>((resolve) => {
      const wait = deadlines.add(limitMs, resolve);
      void Promise.all(tasks.map(({ ended }) => ended)).then(() => {
        deadlines.remove(wait);
        resolve();
      });
    });
  }

  /** Removes the task that ended first, if there are too many. @throws ProtocolError if no task has ended */
  #makeRoom(user: string | undefined): void {
    const all = [...this.#tasks.values()];
    const own = user === undefined ? [] : all.filter((kept) => kept.user === user);
    const [full, most] = own.length >= maxTasksPerUser ? [own, maxTasksPerUser] : [all, maxStoredTasks];
    if (full.length < most) return;
    const over = full.map(({ task }) => task).filter(({ isOver }) => isOver);
    const [oldest] = over.sort((one, other) => one.updated.getTime() - other.updated.getTime());
    if (oldest) {
      this.#tasks.delete(oldest.id);
      return;
    }
    const whose = full === own ? 'one user' : 'this server';
    const message = `${most} tasks are running, the limit of ${whose}. Try again later.`;
    throw new ProtocolError(internalError, message);
  }

  #forgetExpired(): void {
    for (const [id, { task }] of this.#tasks) {
      if (!task.isExpired) continue;
      this.#tasks.delete(id);
      task.cancel();
    }
  }
}

const tasksByServer = new WeakMap<ServerRuntime, Tasks>();

/** The tasks of a server. */
export function serverTasks(calls: ServerRuntime): Tasks {
  const tasks = tasksByServer.get(calls) ?? new Tasks();
  tasksByServer.set(calls, tasks);
  return tasks;
}
