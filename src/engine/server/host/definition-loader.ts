import { deferred } from '../../base/deferred.js';
import { messageOf } from '../../thrown.js';
import { HostEndedError } from './host-error.js';

/** A host that loads definitions. */
export interface LoadingHost {
  readonly isOver: boolean;
  /** @throws HostEndedError */
  describe(file: string, relative: string): Promise<unknown>;
  /** Resolves with true if the host answers within `limitMs`. */
  answers(limitMs: number): Promise<boolean>;
  /** `reason` completes a sentence about the host. */
  kill(reason: string): void;
}

/** The outcome of loading a definition: the unchecked description from a host, or the reason for its absence. */
export type Loaded = { readonly sent: unknown } | LoadFailure;

export interface LoadFailure {
  readonly failure: string;
  /** The module blocked or ended its process. No other host should load it. */
  readonly isFatal: boolean;
}

export interface DefinitionFile {
  /** Absolute. */
  readonly file: string;
  /** Path in the package. */
  readonly relative: string;
}

export interface WantedHost {
  /** It has loaded nothing yet. */
  readonly isFresh: boolean;
  /** Its end is expected. */
  readonly isTrial: boolean;
}

export interface DefinitionLoaderOptions<H extends LoadingHost> {
  /** Gives a host to load definitions in. Rejects if none can be started. */
  readonly openHost: (wanted: WantedHost) => Promise<H>;
  /** Takes a host back. `isSound`: it answers, and is fit for calls. */
  readonly releaseHost: (host: H, state: { readonly isSound: boolean }) => void;
  /** Takes definitions that have harmed a host after they were loaded. */
  readonly onHarmful: (files: readonly DefinitionFile[]) => void;
  /** Longest time that one definition may take to load, in milliseconds. Default: 10,000. */
  readonly limitMs?: number;
  /** Time until a host that answers nothing counts as blocked, in milliseconds. Halves with each that does. Default: 1500. */
  readonly patienceMs?: number;
}

/** Most hosts that load definitions at the same time. */
const maxHosts = 8;

/** Hosts that load side by side once several were lost. */
const sideBySide = 3;

/** Time that a definition keeps the next one waiting if it waits for something itself, in milliseconds. */
const turnMs = 250;

/** Shortest and longest observation of a host that has loaded definitions which may harm it later, in milliseconds. */
const lingerMs = { least: 300, most: 3000 };

/** A definition that is not loaded yet. */
interface Job extends DefinitionFile {
  readonly settle: (loaded: Loaded) => void;
  readonly promise: Promise<Loaded>;
  isSettled: boolean;
  /** A host has ended while it loaded this definition and had loaded others. Only a fresh host shows which is guilty. */
  isSuspect: boolean;
  deadline: NodeJS.Timeout | undefined;
}

/** A host with the definitions that it is given. */
interface Worker<H> {
  host: H | undefined;
  readonly pending: Set<Job>;
  readonly loaded: DefinitionFile[];
  loadedAt: number;
  /** It answers nothing, since `silentAt`. */
  isSilent: boolean;
  silentAt: number;
  /** It has been silent before, or loads a suspect: others do not wait for it. */
  isApart: boolean;
  isLost: boolean;
}

/**
 * Loads definitions in extension hosts, so that those which block or end their host cost the others little. One host
 * loads all, one after the other. While it answers nothing, another one takes what waits. A definition that was loading
 * when its host ended is loaded once more in a fresh host: if that ends, too, the definition is left out.
 */
export class DefinitionLoader<H extends LoadingHost> {
  readonly #options: DefinitionLoaderOptions<H>;
  readonly #limitMs: number;
  readonly #jobs = new Map<string, Job>();
  readonly #queue: Job[] = [];
  readonly #workers = new Set<Worker<H>>();
  #deaths = 0;
  #hangs = 0;
  #batchAt = 0;
  #trials: Promise<unknown> = Promise.resolve();
  #isOnTrial = false;
  #isClosed = false;

  constructor(options: DefinitionLoaderOptions<H>) {
    this.#options = options;
    this.#limitMs = options.limitMs ?? 10_000;
  }

  /** Files whose definitions are still loading. */
  get pending(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** Resolves when no definition is loading any more. */
  async settled(): Promise<void> {
    while (this.#jobs.size > 0) await Promise.all([...this.#jobs.values()].map(({ promise }) => promise));
  }

  /** Resolves when one more definition is loaded or left out; at once if none is loading. */
  async progress(): Promise<void> {
    if (this.#jobs.size > 0) await Promise.race([...this.#jobs.values()].map(({ promise }) => promise));
  }

  /** Resolves when no definitions are under suspicion. */
  async cleared(): Promise<void> {
    await this.#trials;
  }

  /** Loads a definition. Calls for the same file while it loads share one outcome. Never rejects. */
  load({ file, relative }: DefinitionFile): Promise<Loaded> {
    const known = this.#jobs.get(file);
    if (known) return known.promise;
    if (this.#jobs.size === 0) this.#batchAt = performance.now();
    const { promise, resolve } = deferred<Loaded>();
    const job: Job = {
      file,
      relative,
      promise,
      isSettled: false,
      isSuspect: false,
      deadline: undefined,
      settle: (loaded) => {
        if (job.isSettled) return;
        job.isSettled = true;
        clearTimeout(job.deadline);
        this.#jobs.delete(file);
        resolve(loaded);
      },
    };
    this.#jobs.set(file, job);
    this.#queue.push(job);
    this.#assign();
    return promise;
  }

  /**
   * Finds out which of some definitions harm a host after they were loaded, in hosts of their own. `afterMs`: how long
   * after loading the harm was seen.
   */
  suspect(files: readonly DefinitionFile[], afterMs: number): void {
    if (this.#isOnTrial || this.#isClosed || files.length === 0) return;
    this.#isOnTrial = true;
    const observeMs = Math.min(Math.max(3 * afterMs, lingerMs.least), lingerMs.most);
    this.#trials = this.#harmfulAmong(files, observeMs)
      .then((harmful) => {
        if (harmful.length > 0 && !this.#isClosed) this.#options.onHarmful(harmful);
      })
      .catch(() => {})
      .finally(() => {
        this.#isOnTrial = false;
      });
  }

  /** Leaves out what is not loaded yet. The caller ends the hosts. */
  close(): void {
    this.#isClosed = true;
    this.#queue.length = 0;
    for (const job of [...this.#jobs.values()])
      job.settle({ failure: 'the server has ended', isFatal: false });
  }

  /** Starts hosts for what waits, unless one that answers will take it. */
  #assign(): void {
    if (this.#queue.length === 0 || this.#isClosed) return;
    const free = [...this.#workers].filter(({ isSilent, isApart }) => !isSilent && !isApart);
    const wanted = this.#deaths > 1 ? Math.min(sideBySide, this.#queue.length) : 1;
    if (free.length >= wanted) return;
    if (this.#workers.size >= maxHosts && !this.#giveUpSilent()) return;
    void this.#work().then(() => this.#assign());
    // Those that start are counted.
    if (this.#deaths > 1) this.#assign();
  }

  async #work(): Promise<void> {
    const worker: Worker<H> = {
      host: undefined,
      pending: new Set(),
      loaded: [],
      loadedAt: 0,
      isSilent: false,
      silentAt: 0,
      isApart: false,
      isLost: false,
    };
    this.#workers.add(worker);
    try {
      const isFresh = this.#queue.some(({ isSuspect }) => isSuspect);
      worker.host = await this.#options.openHost({ isFresh, isTrial: false });
      for (let job = this.#take(worker); job; job = this.#take(worker)) await this.#evaluate(job, worker);
      await Promise.all([...worker.pending].map(({ promise }) => promise));
    } catch (error) {
      // Without a host, no definition can be loaded.
      const failure = `it could not be loaded: the extension host ${messageOf(error)}`;
      for (const job of this.#queue.splice(0)) job.settle({ failure, isFatal: false });
    }
    this.#workers.delete(worker);
    const { host, isLost, isSilent } = worker;
    if (host) this.#options.releaseHost(host, { isSound: !isLost && !isSilent });
  }

  /** Suspects take a fresh host each. */
  #take({ host, pending, loaded, isLost, isSilent }: Worker<H>): Job | undefined {
    if (!host || host.isOver || isLost || isSilent) return undefined;
    const isFresh = pending.size === 0 && loaded.length === 0;
    const suspect = isFresh ? this.#queue.findIndex((job) => job.isSuspect) : -1;
    const index = suspect === -1 ? this.#queue.findIndex((job) => !job.isSuspect) : suspect;
    return index === -1 ? undefined : this.#queue.splice(index, 1)[0];
  }

  /** Resolves when the host may take another definition, or is lost. */
  async #evaluate(job: Job, worker: Worker<H>): Promise<void> {
    const host = worker.host!;
    let isDone = false;
    worker.pending.add(job);
    this.#limit(job, worker);
    const done = host
      .describe(job.file, job.relative)
      .then(
        (sent) => {
          worker.loaded.push(job);
          worker.loadedAt = performance.now();
          job.settle({ sent });
        },
        (error: unknown) => {
          if (error instanceof HostEndedError) this.#lose(worker, error.message);
          else job.settle({ failure: messageOf(error), isFatal: false });
        },
      )
      .finally(() => {
        isDone = true;
        worker.pending.delete(job);
      });
    if (job.isSuspect) {
      worker.isApart = true;
      this.#assign();
    }
    await Promise.race([done, sleep(turnMs)]);
    while (!isDone && !job.isSettled) {
      const answers = await Promise.race([done, host.answers(this.#patienceMs())]);
      if (isDone || host.isOver) break;
      if (answers && !job.isSuspect) return;
      if (answers) await Promise.race([done, job.promise]);
      else await this.#waitFor(worker, Promise.race([done, job.promise]));
    }
    if (host.isOver) await done;
    worker.isApart = false;
  }

  /** Others take what waits, until the host answers again. */
  async #waitFor(worker: Worker<H>, done: Promise<unknown>): Promise<void> {
    worker.isSilent = true;
    worker.silentAt = performance.now();
    this.#hangs += 1;
    this.#assign();
    await done;
    if (!worker.isLost && !worker.host!.isOver) worker.isSilent = false;
  }

  #limit(job: Job, worker: Worker<H>): void {
    clearTimeout(job.deadline);
    // Hosts have a limit of their own, which is not to be reached first.
    const spentMs = performance.now() - this.#batchAt;
    const limitMs = Math.max(this.#limitMs - spentMs, this.#limitMs / 4) - this.#limitMs / 40;
    job.deadline = setTimeout(() => this.#giveUp(job, worker), limitMs);
  }

  #giveUp(job: Job, worker: Worker<H>): void {
    const reason = `did not load ${job.relative} within ${this.#limitMs / 1000} s`;
    job.settle({ failure: `the process that loaded it ${reason}`, isFatal: true });
    worker.pending.delete(job);
    if (!worker.isSilent) return;
    this.#lose(worker, reason);
    worker.host!.kill(reason);
  }

  /** Ends the host that has been silent for the longest time. False if none has been for long. */
  #giveUpSilent(): boolean {
    const [oldest] = [...this.#workers]
      .filter(({ isSilent, isLost, pending }) => isSilent && !isLost && pending.size > 0)
      .sort((a, b) => a.silentAt - b.silentAt);
    if (!oldest || performance.now() - oldest.silentAt < this.#limitMs / 10) {
      if (oldest) setTimeout(() => this.#assign(), this.#limitMs / 10).unref();
      return false;
    }
    const job = [...oldest.pending].at(-1)!;
    clearTimeout(job.deadline);
    this.#giveUp(job, oldest);
    return true;
  }

  /** Finds out who is guilty of the end of a host. `reason` completes a sentence about the host. */
  #lose(worker: Worker<H>, reason: string): void {
    if (worker.isLost) return;
    worker.isLost = true;
    this.#workers.delete(worker);
    this.#deaths += 1;
    const jobs = [...worker.pending].filter(({ isSettled }) => !isSettled);
    worker.pending.clear();
    const [first] = jobs;
    if (first && jobs.length === 1 && (worker.loaded.length === 0 || this.#isClosed)) {
      first.settle({ failure: `the process that loaded it ${reason}`, isFatal: true });
    } else {
      for (const job of jobs) {
        job.isSuspect = true;
        clearTimeout(job.deadline);
        this.#queue.push(job);
      }
    }
    const suspects = jobs.map(({ promise }) => promise);
    if (jobs.length > 0 && worker.loaded.length > 0) void this.#suspectOthers(suspects, worker);
    this.#assign();
  }

  /** If no definition that was loading has ended the host, one that was loaded before has. */
  async #suspectOthers(suspects: readonly Promise<Loaded>[], worker: Worker<H>): Promise<void> {
    const afterMs = performance.now() - worker.loadedAt;
    const outcomes = await Promise.all(suspects);
    if (!outcomes.some((one) => 'failure' in one && one.isFatal)) this.suspect(worker.loaded, afterMs);
  }

  async #harmfulAmong(
    files: readonly DefinitionFile[],
    observeMs: number,
  ): Promise<readonly DefinitionFile[]> {
    if (files.length === 0 || this.#isClosed || (await this.#survives(files, observeMs))) return [];
    if (files.length === 1) return files;
    const middle = Math.ceil(files.length / 2);
    const halves = [files.slice(0, middle), files.slice(middle)];
    const found = await Promise.all(halves.map(async (half) => await this.#harmfulAmong(half, observeMs)));
    return found.flat();
  }

  /** True if a host has loaded these definitions and still answers some time later. */
  async #survives(files: readonly DefinitionFile[], observeMs: number): Promise<boolean> {
    const host = await this.#options.openHost({ isFresh: true, isTrial: true });
    try {
      for (const { file, relative } of files) {
        const described = host.describe(file, relative).then(
          () => true,
          () => !host.isOver,
        );
        if (!(await Promise.race([described, sleep(this.#limitMs / 4, true)]))) return false;
      }
      await sleep(observeMs);
      return !host.isOver && (await host.answers(lingerMs.most / 2));
    } finally {
      if (!host.isOver) host.kill('was ended');
      this.#options.releaseHost(host, { isSound: false });
    }
  }

  #patienceMs(): number {
    const { patienceMs = 1500 } = this.#options;
    return Math.max(patienceMs / 2 ** this.#hangs, patienceMs / 8);
  }
}

function sleep<T = void>(ms: number, value?: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value as T), ms));
}
