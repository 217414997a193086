import { deferred } from '../base/deferred.js';
import { errorMessage } from '../base/thrown-value.js';
import { HostEndedError } from './host-error.js';

/** Extension host that loads definitions. */
export interface LoadingHost {
  readonly isOver: boolean;
  /** True if a signal ended the host that another process may have sent. */
  readonly isSignalled: boolean;
  /** True if extension code has replaced shared objects of the host after the code was loaded. */
  readonly isTampered: boolean;
  /** @throws HostEndedError */
  describe(file: string, relative: string): Promise<unknown>;
  /** Resolves with true if the host answers within `limitMs`. */
  answers(limitMs: number): Promise<boolean>;
  /** `reason` completes a sentence about the host. */
  kill(reason: string): void;
}

/** Outcome of loading a definition: the unchecked description from a host, or the failure. */
export type Loaded = { readonly sent: unknown } | LoadFailure;

export interface LoadFailure {
  readonly failure: string;
  /** The module blocked or ended its process. No other host should load it. */
  readonly isFatal: boolean;
  /** True if the module took too long, which a slow machine can also cause. */
  readonly isTimeout?: boolean;
}

export interface DefinitionFile {
  /** Absolute path. */
  readonly file: string;
  /** Path in the package. */
  readonly relative: string;
}

export interface WantedHost {
  /** True for a host that has loaded nothing yet. */
  readonly isFresh: boolean;
  /** True if the host is expected to end. */
  readonly isTrial: boolean;
}

export interface DefinitionLoaderOptions<H extends LoadingHost> {
  /** Returns a host that loads definitions. Rejects if no host can be started. */
  readonly openHost: (wanted: WantedHost) => Promise<H>;
  /** Takes a host back. `isSound`: the host answers and can take calls. */
  readonly releaseHost: (host: H, state: { readonly isSound: boolean }) => void;
  /** Receives definitions that have harmed a host after they were loaded. */
  readonly onHarmful: (files: readonly DefinitionFile[]) => void;
  /** Longest load of one definition, in milliseconds. Default: 10,000. */
  readonly limitMs?: number;
  /**
   * Time until an unresponsive host counts as blocked, in milliseconds. Halves with each blocked host. Default: 1500.
   */
  readonly patienceMs?: number;
}

/** Most hosts that load definitions at once. */
const maxHosts = 8;

/** Hosts that load in parallel once several hosts were lost. */
const sideBySide = 3;

/** Longest time that an asynchronous definition delays the next one, in milliseconds. */
const turnMs = 250;

/** Shortest and longest observation of a host after it has loaded suspected definitions, in milliseconds. */
const lingerMs = { least: 300, most: 3000 };

/** Time until an unresponsive host on trial counts as blocked, and the pause between pings, in milliseconds. */
const trialPatienceMs = 1500;
const trialPauseMs = 50;

/**
 * Timer delay that indicates a busy machine, in milliseconds. On a busy machine, an unresponsive host proves nothing.
 */
const busyMs = 250;

/** Most trials of the same definitions. */
const maxTrials = 4;

/**
 * Outcome of a trial. `guilty`: the host exited or was tampered with. `suspicious`: the host was unresponsive, or a
 * signal ended it. `unclear`: the host was unresponsive while the machine was busy.
 */
type Verdict = 'sound' | 'guilty' | 'suspicious' | 'unclear';

/** A definition that is not loaded yet. */
interface Job extends DefinitionFile {
  readonly settle: (loaded: Loaded) => void;
  readonly promise: Promise<Loaded>;
  isSettled: boolean;
  /**
   * True if a host ended or stopped answering while it loaded this definition. Only a fresh host can prove the guilt of
   * one definition.
   */
  isSuspect: boolean;
  deadline: NodeJS.Timeout | undefined;
}

/** Host and its assigned definitions. */
interface Worker<H> {
  host: H | undefined;
  readonly pending: Set<Job>;
  readonly loaded: DefinitionFile[];
  loadedAt: number;
  /** True if the host does not answer, since `silentAt`. */
  isSilent: boolean;
  silentAt: number;
  /** True if the host was unresponsive before, or loads a suspect. Other definitions do not wait for it. */
  isApart: boolean;
  isLost: boolean;
}

/**
 * Loads definitions in extension hosts, and isolates definitions that block or end their host.
 * One host loads all definitions, one after the other. While it is unresponsive, another host takes the queued ones. If
 * a host ends or stops answering, the definition that was loading is loaded once more in a fresh host. If that host ends
 * too, the definition is skipped.
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

  /** Files of the definitions that are loading. */
  get pending(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** Resolves when no definition is loading. */
  async settled(): Promise<void> {
    while (this.#jobs.size > 0) await Promise.all([...this.#jobs.values()].map(({ promise }) => promise));
  }

  /** Resolves when one more definition is loaded or skipped; at once if no definition is loading. */
  async progress(): Promise<void> {
    if (this.#jobs.size > 0) await Promise.race([...this.#jobs.values()].map(({ promise }) => promise));
  }

  /** Resolves when no definition is under suspicion. */
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
        const waiting = this.#queue.indexOf(job);
        if (waiting !== -1) this.#queue.splice(waiting, 1);
        resolve(loaded);
      },
    };
    this.#jobs.set(file, job);
    this.#queue.push(job);
    this.#assign();
    return promise;
  }

  /**
   * Searches for definitions that harm a host after they were loaded, in separate hosts. `afterMs`: time from loading to
   * the harm, in milliseconds.
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

  /** Skips definitions that are not loaded yet. The caller ends the hosts. */
  close(): void {
    this.#isClosed = true;
    this.#queue.length = 0;
    for (const job of [...this.#jobs.values()])
      job.settle({ failure: 'the server has ended', isFatal: false });
  }

  /** Starts hosts for queued definitions, unless a responsive host will take them. */
  #assign(): void {
    if (this.#queue.length === 0 || this.#isClosed) return;
    const free = [...this.#workers].filter(({ isSilent, isApart }) => !isSilent && !isApart);
    const wanted = this.#deaths > 1 ? Math.min(sideBySide, this.#queue.length) : 1;
    if (free.length >= wanted) return;
    if (this.#workers.size >= maxHosts && !this.#giveUpSilent()) return;
    void this.#work().then(() => this.#assign());
    // Hosts that are starting count.
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
      const failure = `it could not be loaded: the extension host ${errorMessage(error)}`;
      for (const job of this.#queue.splice(0)) job.settle({ failure, isFatal: false });
    }
    this.#workers.delete(worker);
    const { host, isLost, isSilent } = worker;
    if (host) this.#options.releaseHost(host, { isSound: !isLost && !isSilent });
  }

  /** A suspect needs a fresh host. */
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
    const { isSuspect } = job;
    let isDone = false;
    worker.pending.add(job);
    this.#limit(job, worker);
    const done = host
      .describe(job.file, job.relative)
      .then(
        (sent) => {
          isDone = true;
          worker.loaded.push(job);
          worker.loadedAt = performance.now();
          job.settle({ sent });
        },
        (error: unknown) => {
          isDone = true;
          if (error instanceof HostEndedError) this.#lose(worker, error.message);
          else job.settle({ failure: errorMessage(error), isFatal: false });
        },
      )
      .finally(() => worker.pending.delete(job));
    if (isSuspect) {
      worker.isApart = true;
      this.#assign();
    }
    await Promise.race([done, sleep(turnMs)]);
    while (!isDone && !job.isSettled) {
      const answers = await Promise.race([done, host.answers(this.#patienceMs())]);
      if (isDone || host.isOver) break;
      if (answers && !isSuspect) return;
      if (!answers) this.#silence(worker);
      await Promise.race([done, job.promise]);
      if (!worker.isLost && (isDone || (await host.answers(this.#patienceMs())))) worker.isSilent = false;
    }
    if (host.isOver) await done;
    else if (worker.isSilent) this.#endSilent(worker, await job.promise);
    worker.isApart = false;
  }

  /**
   * Lets other hosts take the queued definitions until the host answers again. The loading definitions may be innocent.
   */
  #silence(worker: Worker<H>): void {
    worker.isSilent = true;
    worker.silentAt = performance.now();
    this.#hangs += 1;
    // A host that still answered after the first one has the next one too, which has not begun.
    if (worker.loaded.length > 0 || worker.pending.size > 1) {
      for (const job of worker.pending) this.#reconsider(job);
      worker.pending.clear();
    }
    this.#assign();
  }

  /** Ends an unresponsive host after another host has loaded its last definition or given it up. */
  #endSilent(worker: Worker<H>, outcome: Loaded): void {
    if (worker.isLost) return;
    const reason = 'was ended, since code that a module left behind blocked it';
    this.#lose(worker, reason);
    worker.host!.kill(reason);
    if ('sent' in outcome) this.suspect(worker.loaded, worker.silentAt - worker.loadedAt);
  }

  /** Queues a definition for a fresh host. */
  #reconsider(job: Job): void {
    if (job.isSettled || this.#queue.includes(job)) return;
    job.isSuspect = true;
    this.#queue.push(job);
  }

  #limit(job: Job, worker: Worker<H>): void {
    clearTimeout(job.deadline);
    // The limit of the host must not expire first.
    const spentMs = performance.now() - this.#batchAt;
    const limitMs = Math.max(this.#limitMs - spentMs, this.#limitMs / 4) - this.#limitMs / 40;
    job.deadline = setTimeout(() => this.#giveUp(job, worker), limitMs);
  }

  #giveUp(job: Job, worker: Worker<H>): void {
    const reason = `did not load ${job.relative} within ${this.#limitMs / 1000} s`;
    // Code of an earlier definition may block the host.
    const isFatal = !worker.isSilent || worker.loaded.length === 0;
    job.settle({ failure: `the process that loaded it ${reason}`, isFatal, isTimeout: true });
    worker.pending.delete(job);
    if (!worker.isSilent) return;
    this.#lose(worker, reason);
    worker.host!.kill(reason);
  }

  /** Ends the host that has been unresponsive for the longest time. Returns false if that time is too short. */
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

  /**
   * Handles the loss of a host: skips the guilty definition, or queues the suspects. `reason` completes a sentence about
   * the host.
   */
  #lose(worker: Worker<H>, reason: string): void {
    if (worker.isLost) return;
    worker.isLost = true;
    this.#workers.delete(worker);
    this.#deaths += 1;
    const jobs = [...worker.pending].filter(({ isSettled }) => !isSettled);
    worker.pending.clear();
    const [first] = jobs;
    const isSingle = first !== undefined && jobs.length === 1 && worker.loaded.length === 0;
    if (isSingle && (first.isSuspect || !worker.host!.isSignalled)) {
      first.settle({ failure: `the process that loaded it ${reason}`, isFatal: true });
    } else {
      for (const job of jobs) {
        clearTimeout(job.deadline);
        this.#reconsider(job);
      }
    }
    const suspects = jobs.map(({ promise }) => promise);
    if (jobs.length > 0 && worker.loaded.length > 0) void this.#suspectOthers(suspects, worker);
    this.#assign();
  }

  /** If no loading definition has ended the host, suspects the definitions that were loaded before. */
  async #suspectOthers(suspects: readonly Promise<Loaded>[], worker: Worker<H>): Promise<void> {
    const afterMs = performance.now() - worker.loadedAt;
    const outcomes = await Promise.all(suspects);
    if (!outcomes.some((one) => 'failure' in one && one.isFatal)) this.suspect(worker.loaded, afterMs);
  }

  async #harmfulAmong(
    files: readonly DefinitionFile[],
    observeMs: number,
  ): Promise<readonly DefinitionFile[]> {
    if (files.length === 0 || !(await this.#areHarmful(files, observeMs))) return [];
    if (files.length === 1) return files;
    const middle = Math.ceil(files.length / 2);
    const halves = [files.slice(0, middle), files.slice(middle)];
    const found = await Promise.all(halves.map(async (half) => await this.#harmfulAmong(half, observeMs)));
    return found.flat();
  }

  /**
   * One suspicious trial is enough to test halves. A single definition needs two, without a sound trial between them.
   */
  async #areHarmful(files: readonly DefinitionFile[], observeMs: number): Promise<boolean> {
    let suspicions = files.length === 1 ? 0 : 1;
    for (let trial = 0; trial < maxTrials && !this.#isClosed; trial += 1) {
      const verdict = await this.#try(files, observeMs);
      if (verdict === 'sound') return false;
      if (verdict === 'suspicious') suspicions += 1;
      if (verdict === 'guilty' || suspicions === 2) return true;
    }
    return false;
  }

  /** Loads the definitions in a fresh host and observes the host. */
  async #try(files: readonly DefinitionFile[], observeMs: number): Promise<Verdict> {
    const host = await this.#options.openHost({ isFresh: true, isTrial: true });
    const watch = watchTimers();
    const verdictOf = (isSilent: boolean): Verdict => {
      if (host.isOver) return host.isSignalled ? 'suspicious' : 'guilty';
      if (isSilent) return watch.latestMs() > busyMs ? 'unclear' : 'suspicious';
      return host.isTampered ? 'guilty' : 'sound';
    };
    const isSilent = async () => !(await host.answers(trialPatienceMs));
    try {
      for (const { file, relative } of files) {
        const described = host.describe(file, relative).then(
          () => true,
          () => true,
        );
        const isLoaded = await Promise.race([described, sleep(this.#limitMs / 4, false)]);
        if (host.isOver || (!isLoaded && (await isSilent()))) return verdictOf(true);
      }
      for (const end = performance.now() + observeMs; performance.now() < end; ) {
        await sleep(trialPauseMs);
        if (host.isOver || (await isSilent())) return verdictOf(true);
        if (host.isTampered) break;
      }
      return verdictOf(false);
    } finally {
      watch.end();
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

/** Pause between the measurements of {@link watchTimers}, in milliseconds. */
const pulseMs = 50;

/** Measures the delay of timers in this process. */
function watchTimers() {
  let latest = 0;
  let due = performance.now() + pulseMs;
  const latestMs = () => Math.max(latest, performance.now() - due);
  const pulse = () => {
    latest = latestMs();
    due = performance.now() + pulseMs;
    timer = setTimeout(pulse, pulseMs);
  };
  let timer = setTimeout(pulse, pulseMs);
  return { latestMs, end: () => clearTimeout(timer) };
}
