import { deferred } from '../base/deferred.js';
import { errorMessage } from '../base/thrown-value.js';
import { HostEndedError } from './host-error.js';

/** A host that loads definitions. */
export interface LoadingHost {
  readonly isOver: boolean;
  /** A signal ended it that another process may have sent. */
  readonly isSignalled: boolean;
  /** Code has replaced what all code of the host shares, after it was loaded. */
  readonly isTampered: boolean;
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

/** Time until a host on trial that answers nothing counts as blocked, and the pause between questions, in milliseconds. */
const trialPatienceMs = 1500;
const trialPauseMs = 50;

/** Delay of timers of this process that shows a busy machine, on which a silent host proves nothing, in milliseconds. */
const busyMs = 250;

/** Most trials of the same definitions. */
const maxTrials = 4;

/**
 * The outcome of a trial. `guilty`: the host ended by itself, or was tampered with. `suspicious`: it was silent, or a
 * signal ended it. `unclear`: it was silent while the machine was busy.
 */
type Verdict = 'sound' | 'guilty' | 'suspicious' | 'unclear';

/** A definition that is not loaded yet. */
interface Job extends DefinitionFile {
  readonly settle: (loaded: Loaded) => void;
  readonly promise: Promise<Loaded>;
  isSettled: boolean;
  /** A host has ended or fallen silent while it loaded this definition. Only a fresh host shows which one is guilty. */
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
 * when its host ended or fell silent is loaded once more in a fresh host: if that ends, too, the definition is left out.
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
      const failure = `it could not be loaded: the extension host ${errorMessage(error)}`;
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

  /** Others take what waits, until the host answers again. Those that are loading may not be the ones that block it. */
  #silence(worker: Worker<H>): void {
    worker.isSilent = true;
    worker.silentAt = performance.now();
    this.#hangs += 1;
    if (worker.loaded.length > 0) {
      for (const job of worker.pending) this.#reconsider(job);
      worker.pending.clear();
    }
    this.#assign();
  }

  /** Ends a host that is silent though another one has loaded its last definition or given it up. */
  #endSilent(worker: Worker<H>, outcome: Loaded): void {
    if (worker.isLost) return;
    const reason = 'was ended, since code that a module left behind blocked it';
    this.#lose(worker, reason);
    worker.host!.kill(reason);
    if ('sent' in outcome) this.suspect(worker.loaded, worker.silentAt - worker.loadedAt);
  }

  /** Has a definition loaded in a fresh host. */
  #reconsider(job: Job): void {
    if (job.isSettled || this.#queue.includes(job)) return;
    job.isSuspect = true;
    this.#queue.push(job);
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
    // Others may block the host.
    const isFatal = !worker.isSilent || worker.loaded.length === 0;
    job.settle({ failure: `the process that loaded it ${reason}`, isFatal });
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
    if (files.length === 0 || !(await this.#areHarmful(files, observeMs))) return [];
    if (files.length === 1) return files;
    const middle = Math.ceil(files.length / 2);
    const halves = [files.slice(0, middle), files.slice(middle)];
    const found = await Promise.all(halves.map(async (half) => await this.#harmfulAmong(half, observeMs)));
    return found.flat();
  }

  /** One suspicious trial is reason enough to try halves. A single definition takes two, without a sound one between. */
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

  /** Has a host load these definitions, and observes it for some time. */
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

/** Measures how late timers of this process are. */
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
