import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../folders.js';
import { withFaults } from '../plain-data.js';
import type {
  InspectionReply,
  InspectionRequest,
  LoadedModule,
  ModuleFailure,
  ParsedModule,
} from './inspection.js';
import { syntaxPosition } from './module-syntax.js';
import { endTree, treeMarker } from './process-tree.js';

/** A module that cannot be looked at, and where in it that shows. */
export class InspectionError extends Error {
  override readonly name = 'InspectionError';
  readonly failure: ModuleFailure;

  constructor(failure: ModuleFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

export interface InspectorOptions {
  /** Longest time one module may take. */
  readonly timeoutMs: number;
  /** Shared parser; the caller closes it. */
  readonly parser?: ModuleParser;
}

/**
 * Reads modules in a process that runs none of them, and keeps nothing of what it read. One parser can serve any number
 * of extensions.
 */
export class ModuleParser {
  readonly #process: Child;

  constructor(timeoutMs: number) {
    this.#process = new Child(timeoutMs);
  }

  /** Reads a module without running it. @throws InspectionError */
  async parse(file: string): Promise<ParsedModule> {
    return (await this.#process.ask({ task: 'parse', file })) as ParsedModule;
  }

  /** Ends the process. */
  close(): void {
    this.#process.kill();
  }
}

/** Most processes that evaluate suspects side by side. */
const maxSuspects = 8;

/** Shortest wait for a module in the process that all share. */
const minPatienceMs = 250;

/**
 * Looks at modules of an extension in processes of its own, where they can neither print, nor exit, nor hang us.
 * The modules share one process, one after the other. A module that hangs or ends it is evaluated once more in a process
 * of its own, several such modules at a time and within one time limit together.
 * What one module does to its process lasts: another extension, or a changed one, gets another inspector.
 */
export class Inspector {
  readonly #parser: ModuleParser;
  readonly #ownsParser: boolean;
  readonly #loader: Child;
  readonly #loaded = new Map<string, Promise<LoadedModule>>();
  readonly #timeoutMs: number;
  readonly #suspects = new Set<Child>();
  readonly #waiting: (() => void)[] = [];
  #hangs = 0;
  /** The end of the time that suspects have together; undefined before the first. */
  #deadline: number | undefined;

  constructor({ timeoutMs, parser }: InspectorOptions) {
    this.#timeoutMs = timeoutMs;
    this.#parser = parser ?? new ModuleParser(timeoutMs);
    this.#ownsParser = parser === undefined;
    this.#loader = new Child(timeoutMs);
  }

  /** Reads a module without running it. @throws InspectionError */
  parse(file: string): Promise<ParsedModule> {
    return this.#parser.parse(file);
  }

  /** Evaluates a module, once. @throws InspectionError if it throws, hangs or ends its process. */
  load(file: string): Promise<LoadedModule> {
    const known = this.#loaded.get(file);
    if (known) return known;
    const loading = this.#load(file);
    this.#loaded.set(file, loading);
    return loading;
  }

  async #load(file: string): Promise<LoadedModule> {
    const loaded = (await this.#evaluate({ task: 'load', file })) as LoadedModule;
    withFaults(loaded.value.value, loaded.value.faults);
    return loaded;
  }

  async #evaluate(task: Task): Promise<unknown> {
    let patience = this.#timeoutMs;
    const shared = await this.#loader.attempt(task, () => {
      const shrinking = Math.max(this.#timeoutMs / 10 / 2 ** this.#hangs, minPatienceMs);
      patience = Math.min(shrinking, this.#timeoutMs);
      return patience;
    });
    if (shared.died === undefined) return resultOf(shared);
    if (shared.isLate) this.#hangs += 1;
    // An earlier module may have ended or blocked the process: only a fresh one shows whose fault it is.
    const isProven = !shared.usedBefore && (!shared.isLate || patience === this.#timeoutMs);
    return isProven ? resultOf(shared) : await this.#evaluateAlone(task);
  }

  async #evaluateAlone(task: Task): Promise<unknown> {
    while (this.#suspects.size >= maxSuspects) await new Promise<void>((free) => this.#waiting.push(free));
    const now = performance.now();
    this.#deadline ??= now + this.#timeoutMs;
    const timeoutMs = Math.max(this.#deadline - now, this.#timeoutMs / 8);
    const child = new Child(timeoutMs);
    this.#suspects.add(child);
    try {
      const outcome = await child.attempt(task);
      const isCut = outcome.isLate && timeoutMs < this.#timeoutMs;
      return resultOf(isCut ? { ...outcome, died: late(this.#timeoutMs) } : outcome);
    } finally {
      child.kill();
      this.#suspects.delete(child);
      this.#waiting.shift()?.();
    }
  }

  /** Ends the processes. What modules left running in them ends too. */
  close(): void {
    for (const child of this.#suspects) child.kill();
    if (this.#ownsParser) this.#parser.close();
    this.#loader.kill();
  }
}

/** In the bundle the child stands beside the engine; from source it is taken from the last build. */
function inspectorEntry(): string {
  const beside = fileURLToPath(new URL('./inspector-child.js', import.meta.url));
  return existsSync(beside) ? beside : path.join(packageRoot(), 'dist', 'inspector-child.js');
}

type Task = Omit<InspectionRequest, 'id'>;

/** How long a process may take to start; not the module's time. */
const startTimeoutMs = 30_000;

/** One process that answers one question after the other, and is replaced when it dies of one. */
class Child {
  readonly #mark = randomUUID();
  #process: ChildProcess | undefined;
  #questions = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(readonly timeoutMs: number) {}

  /** @throws InspectionError */
  async ask(task: Task): Promise<unknown> {
    const first = await this.attempt(task);
    return resultOf(first.died !== undefined && first.usedBefore ? await this.attempt(task) : first);
  }

  /** Asks once, after all earlier questions. */
  attempt(task: Task, timeoutMs: () => number = () => this.timeoutMs): Promise<Outcome> {
    const outcome = this.#queue.then(() => this.#exchange(task, timeoutMs()));
    this.#queue = outcome.catch(() => {});
    return outcome;
  }

  async #exchange(task: Task, timeoutMs: number): Promise<Outcome> {
    const usedBefore = this.#process !== undefined && this.#questions > 0;
    const child = this.#process ?? (await this.#start());
    this.#questions++;
    const id = randomUUID();
    const outcome = await replyOf(child, id, timeoutMs, () => child.send({ ...task, id }));
    if (outcome.died !== undefined) this.kill();
    return { ...outcome, usedBefore };
  }

  async #start(): Promise<ChildProcess> {
    const entry = inspectorEntry();
    const child = fork(entry, [`${process.pid}`], {
      // A group of its own, so that all of it can be ended.
      detached: process.platform !== 'win32',
      env: { ...process.env, [treeMarker]: this.#mark },
      execArgv: ['--experimental-vm-modules', '--no-warnings'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Sending to a process that has just ended is told once more by its exit.
    child.on('error', () => {});
    this.#process = child;
    this.#questions = 0;
    const { died } = await replyOf(child, 'ready', startTimeoutMs, () => {});
    if (died) throw new Error(`The process that inspects modules (${entry}) cannot be used: ${died}.`);
    return child;
  }

  /** Ends the process, and whatever the modules started in it. */
  kill(): void {
    if (this.#process?.pid !== undefined) endTree(this.#process.pid, this.#mark);
    this.#process = undefined;
  }
}

type Outcome = { readonly usedBefore?: boolean; readonly isLate?: boolean } & (
  | { readonly died: string }
  | { readonly died?: undefined; readonly answer: InspectionReply }
);

/** @throws InspectionError */
function resultOf(outcome: Outcome): unknown {
  if (outcome.died !== undefined) throw new InspectionError({ reason: outcome.died });
  if ('failure' in outcome.answer) throw new InspectionError(outcome.answer.failure);
  return outcome.answer.result;
}

function late(timeoutMs: number): string {
  return `it did not load within ${timeoutMs / 1000} s`;
}

/** Waits for one answer, the end of the process, or the end of patience. */
function replyOf(child: ChildProcess, id: string, timeoutMs: number, begin: () => void): Promise<Outcome> {
  return new Promise((resolve) => {
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      child
        .off('message', onMessage)
        .off('exit', onExit)
        .off('error', onError)
        .off('disconnect', onDisconnect);
      resolve(outcome);
    };
    const onMessage = (reply: unknown) => {
      if (isReply(reply, id)) finish({ answer: reply });
    };
    const onExit = (code: number | null, signal: string | null) =>
      finish({ died: signal ? `it was ended by ${signal}` : `it exited with code ${code}` });
    const onError = (error: Error) => finish({ died: `it failed: ${error.message}` });
    // Usually the process ends right after; if it does not, it has cut itself off.
    const onDisconnect = () => setTimeout(() => finish({ died: 'it closed its connection' }), 100).unref();
    const timer = setTimeout(() => finish({ died: late(timeoutMs), isLate: true }), timeoutMs);
    child.on('message', onMessage).on('exit', onExit).on('error', onError).on('disconnect', onDisconnect);
    begin();
  });
}

function isReply(reply: unknown, id: string): reply is InspectionReply {
  return typeof reply === 'object' && reply !== null && (reply as { id?: unknown }).id === id;
}

/** Why a text is no ECMAScript module, asked of a Node that only checks syntax. */
export function moduleFailureOf(source: string): Promise<ModuleFailure> {
  return new Promise((resolve) => {
    const arguments_ = ['--no-warnings', '--input-type=module', '--check', '-'];
    const child = execFile(process.execPath, arguments_, { timeout: startTimeoutMs }, (_, __, report) => {
      const position = syntaxPosition(report);
      const reason = report.match(/^(?:\w*Error): (.*)$/m)?.[1] ?? 'not an ECMAScript module';
      resolve({ reason, ...(position && { position }) });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(source);
  });
}
