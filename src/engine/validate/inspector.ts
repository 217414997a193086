import { execFile } from 'node:child_process';
import process from 'node:process';
import { withFaults } from '../base/plain-data.js';
import type { LoadedModule, ModuleFailure, ParsedModule } from './inspection.js';
import {
  type InspectionOutcome,
  InspectionProcess,
  type InspectionTask,
  startTimeoutMs,
} from './inspection-process.js';
import { syntaxPosition } from './module-syntax.js';

/** A module cannot be inspected. Carries the reason and, if known, the position. */
export class InspectionError extends Error {
  override readonly name = 'InspectionError';
  readonly failure: ModuleFailure;

  constructor(failure: ModuleFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

type InspectionProcessLike = Pick<InspectionProcess, 'attempt' | 'kill'> &
  Partial<Pick<InspectionProcess, 'start'>>;

export interface InspectorOptions {
  /** Longest total time for modules without an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Shared parser; the caller closes it. */
  readonly parser?: ModuleParser;
  /** Creates a process that starts at its first request. Tests pass their own. */
  readonly openProcess?: () => InspectionProcessLike;
}

/**
 * Parses modules in a process that does not run them and stores nothing. One parser can serve any number of
 * extensions.
 */
export class ModuleParser {
  readonly #process = new InspectionProcess();
  readonly #timeoutMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Parses a module without running it. @throws InspectionError */
  parse(file: string): Promise<ParsedModule> {
    const parsing = this.#last.then(() => this.#parse({ task: 'parse', file }));
    this.#last = parsing.catch(() => {});
    return parsing;
  }

  async #parse(task: InspectionTask): Promise<ParsedModule> {
    const first = await this.#process.attempt(task, this.#timeoutMs);
    const isDoubtful = !('answer' in first) && first.usedBefore;
    const outcome = isDoubtful ? await this.#process.attempt(task, this.#timeoutMs) : first;
    return requireInspection(outcome, this.#timeoutMs) as ParsedModule;
  }

  /** Starts the process before the first module. */
  start(): void {
    void this.#process.start();
  }

  /** Kills the process. */
  close(): void {
    this.#process.kill();
  }
}

/** Most processes that evaluate modules in parallel. */
const maxSideBySide = 32;

const inspectionClosed = Promise.resolve<InspectionOutcome>({
  usedBefore: false,
  died: 'its inspection has ended',
});

/** A module to evaluate. */
interface InspectionJob {
  readonly task: InspectionTask;
  readonly settle: (outcome: Promise<InspectionOutcome>) => void;
}

/**
 * Inspects modules of an extension in separate processes, where they cannot print, exit or block this
 * process.
 * All modules share one process, one after the other. A module that hangs there for a short time, or fails in
 * a used process or ends it, is evaluated once more in a fresh process. These processes start after all other modules have
 * been evaluated, in parallel. A slow machine therefore costs time, and never an error.
 * Modules that hang share one time limit. Effects of a module on its process last: another extension, or a
 * changed one, gets another inspector.
 */
export class Inspector {
  readonly #parser: ModuleParser;
  readonly #ownsParser: boolean;
  readonly #loaded = new Map<string, Promise<LoadedModule>>();
  readonly #timeoutMs: number;
  readonly #openProcess: NonNullable<InspectorOptions['openProcess']>;
  readonly #shared: InspectionProcessLike;
  readonly #alone = new Set<Pick<InspectionProcess, 'kill'>>();
  readonly #waiting: InspectionJob[] = [];
  readonly #suspects: InspectionJob[] = [];
  #isBusy = false;
  #isClosed = false;
  #hangs = 0;
  /** Time spent on modules without an answer, in milliseconds. */
  #wastedMs = 0;

  constructor({ timeoutMs, parser, openProcess = () => new InspectionProcess() }: InspectorOptions) {
    this.#timeoutMs = timeoutMs;
    this.#parser = parser ?? new ModuleParser(timeoutMs);
    this.#ownsParser = parser === undefined;
    this.#openProcess = openProcess;
    this.#shared = openProcess();
  }

  /** Starts the processes before the first module. `load`: modules will be evaluated, too. */
  start({ load }: { readonly load: boolean }): void {
    this.#parser.start();
    if (load) void this.#shared.start?.();
  }

  /** Parses a module without running it. @throws InspectionError */
  parse(file: string): Promise<ParsedModule> {
    return this.#parser.parse(file);
  }

  /**
   * Evaluates a module. Further calls return the same outcome.
   * @throws InspectionError if it throws, hangs or ends its process
   */
  load(file: string): Promise<LoadedModule> {
    const known = this.#loaded.get(file);
    if (known) return known;
    const loading = this.#load(file);
    this.#loaded.set(file, loading);
    return loading;
  }

  async #load(file: string): Promise<LoadedModule> {
    const outcome = await new Promise<InspectionOutcome>((settle) => {
      this.#waiting.push({ task: { task: 'load', file }, settle });
      void this.#work();
    });
    const loaded = requireInspection(outcome, this.#timeoutMs) as LoadedModule;
    withFaults(loaded.value.value, loaded.value.faults);
    return loaded;
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting.length + this.#suspects.length > 0) {
      const job = this.#waiting.shift();
      if (this.#isClosed) (job ?? this.#suspects.shift())?.settle(inspectionClosed);
      else if (job) await this.#evaluateBesideOthers(job);
      else await this.#evaluateAlone(this.#suspects.splice(0, maxSideBySide));
    }
    this.#isBusy = false;
  }

  async #evaluateBesideOthers(job: InspectionJob): Promise<void> {
    const patience = this.#patienceMs();
    let isInPlace = false;
    const further = (usedBefore: boolean) => {
      // No other module waits, so the process is as good as a fresh one.
      isInPlace = !usedBefore && this.#waiting.length + this.#suspects.length === 0;
      return isInPlace ? this.#limitMs() - patience : 0;
    };
    const attempt = this.#shared.attempt(job.task, patience, further);
    const outcome = await attempt.catch(() => undefined);
    if (!outcome || ('answer' in outcome && !('failure' in outcome.answer))) return job.settle(attempt);
    if ('isLate' in outcome) {
      this.#hangs += 1;
      this.#wastedMs += isInPlace ? this.#limitMs() : patience;
    }
    // An earlier module may have harmed, ended or blocked the process: only a fresh one shows the cause.
    const isProven = 'isLate' in outcome ? isInPlace : !outcome.usedBefore;
    if (isProven) job.settle(attempt);
    else this.#suspects.push(job);
  }

  async #evaluateAlone(jobs: readonly InspectionJob[]): Promise<void> {
    const limit = this.#limitMs();
    const outcomes = await Promise.allSettled(
      jobs.map(async ({ task, settle }) => {
        const own = this.#openProcess();
        this.#alone.add(own);
        const attempt = own.attempt(task, limit);
        settle(attempt);
        try {
          return await attempt;
        } finally {
          own.kill();
          this.#alone.delete(own);
        }
      }),
    );
    if (outcomes.some((one) => 'value' in one && 'isLate' in one.value)) this.#wastedMs += limit;
  }

  /**
   * The time for a module in the shared process, in milliseconds. Each module that hangs shortens it for the
   * next.
   */
  #patienceMs(): number {
    return Math.max(this.#timeoutMs / 20 / 2 ** this.#hangs, this.#timeoutMs / 200);
  }

  /** The rest of the time that modules share, in milliseconds; at least a quarter of it for late ones. */
  #limitMs(): number {
    return Math.max(this.#timeoutMs - this.#wastedMs, this.#timeoutMs / 4);
  }

  /** Kills the processes, and everything that modules started in them. Waiting modules are not evaluated. */
  close(): void {
    this.#isClosed = true;
    for (const own of this.#alone) own.kill();
    if (this.#ownsParser) this.#parser.close();
    this.#shared.kill();
  }
}

/** @throws InspectionError */
function requireInspection(outcome: InspectionOutcome, timeoutMs: number): unknown {
  if ('isLate' in outcome) {
    throw new InspectionError({ reason: `it did not load within ${timeoutMs / 1000} s` });
  }
  if ('died' in outcome) throw new InspectionError({ reason: outcome.died });
  if ('failure' in outcome.answer) throw new InspectionError(outcome.answer.failure);
  return outcome.answer.result;
}

/** The reason why a text is not an ECMAScript module, from a Node process that only checks syntax. */
export function checkModuleSyntax(source: string): Promise<ModuleFailure> {
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
