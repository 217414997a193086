import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type DefinitionFile,
  DefinitionLoader,
  type LoadingHost,
  type WantedHost,
} from '../../../src/engine/host/definition-loader.js';
import { HostEndedError } from '../../../src/engine/host/host-error.js';

/** Behaviours of definitions by the beginning of their name. */
type Behaviour =
  | 'ok'
  | 'exits'
  | 'kills'
  | 'blocks'
  | 'blocks-soon'
  | 'blocks-late'
  | 'never'
  | 'slow'
  | 'later'
  | 'slow-once'
  | 'busy'
  | 'killed-once'
  | 'tampers';

/** A host whose definitions behave as their names say. */
class FakeHost implements LoadingHost {
  readonly files: string[] = [];
  isOver = false;
  isSignalled = false;
  isTampered = false;
  reason = '';
  #isBlocked = false;
  readonly #isFirst: (behaviour: Behaviour) => boolean;
  readonly #rejects = new Set<(error: Error) => void>();
  /** Answers that come unless the host blocks. */
  readonly #timers = new Set<NodeJS.Timeout>();

  /** `isFirst`: no host has been asked to behave so. */
  constructor(isFirst: (behaviour: Behaviour) => boolean) {
    this.#isFirst = isFirst;
  }

  describe(file: string): Promise<unknown> {
    this.files.push(file);
    const behaviour = file.replace(/\d+$/, '') as Behaviour;
    return new Promise((resolve, reject) => {
      this.#rejects.add(reject);
      if (this.#isBlocked || behaviour === 'never') return;
      if (behaviour === 'blocks-late') return void setTimeout(() => this.#block(), 270);
      if (behaviour === 'blocks') this.#isBlocked = true;
      if (behaviour === 'exits') setTimeout(() => this.end('exited with code 1'), 1);
      if (behaviour === 'kills') setTimeout(() => this.#signal(), 1);
      if (behaviour === 'later') setTimeout(() => this.end('exited with code 1'), 50);
      if (behaviour === 'blocks-soon') setTimeout(() => this.#block(), 2);
      if (behaviour === 'slow-once' && this.#isFirst(behaviour)) setTimeout(() => this.#block(), 2);
      if (behaviour === 'killed-once' && this.#isFirst(behaviour)) setTimeout(() => this.#signal(), 50);
      if (behaviour === 'busy') setTimeout(() => this.#blockBusily(), 2);
      if (behaviour === 'tampers') setTimeout(() => this.#tamper(), 2);
      if (behaviour === 'blocks' || behaviour === 'kills' || behaviour === 'exits') return;
      const timer = setTimeout(resolve, behaviour === 'slow' ? 50 : 1, { value: file, faults: [] });
      this.#timers.add(timer);
    });
  }

  #signal(): void {
    this.isSignalled = true;
    this.end('was ended by SIGKILL');
  }

  #tamper(): void {
    this.isTampered = true;
  }

  #block(): void {
    this.#isBlocked = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** The whole machine is busy: timers are late. */
  #blockBusily(): void {
    this.#block();
    jumpMs += 400;
  }

  async answers(limitMs: number): Promise<boolean> {
    if (!this.#isBlocked) return !this.isOver;
    await new Promise((resolve) => setTimeout(resolve, limitMs));
    return false;
  }

  kill(reason: string): void {
    this.end(reason);
  }

  end(reason: string): void {
    this.isOver = true;
    this.reason = reason;
    for (const reject of this.#rejects) reject(new HostEndedError(reason));
  }
}

function open(limitMs?: number) {
  const hosts: FakeHost[] = [];
  const wanted: WantedHost[] = [];
  const harmful: string[] = [];
  const seen = new Set<Behaviour>();
  const isFirst = (behaviour: Behaviour) => !seen.has(behaviour) && seen.add(behaviour).size > 0;
  const sound: FakeHost[] = [];
  const loader = new DefinitionLoader<FakeHost>({
    openHost: async (want) => {
      wanted.push(want);
      const host = new FakeHost(isFirst);
      hosts.push(host);
      return host;
    },
    releaseHost: (host, { isSound }) => isSound && sound.push(host),
    onHarmful: (files) => harmful.push(...files.map(({ file }) => file)),
    ...(limitMs !== undefined && { limitMs }),
  });
  /** Loads all, and gives the outcomes: `ok`, or the reason. */
  const load = async (...files: readonly string[]): Promise<readonly string[]> => {
    const loads = files.map(async (file) => {
      const loaded = await loader.load(definition(file));
      return 'failure' in loaded ? loaded.failure : 'ok';
    });
    return await Promise.all(loads);
  };
  return { loader, load, hosts, wanted, harmful, sound };
}

const definition = (file: string): DefinitionFile => ({ file, relative: file });
const killed = 'the process that loaded it was ended by SIGKILL';
const exited = 'the process that loaded it exited with code 1';
const late = (file: string) => `the process that loaded it did not load ${file} within 10 s`;

/** Time by which the clock has jumped, in milliseconds. */
let jumpMs = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const now = performance.now.bind(performance);
  jumpMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + jumpMs);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The outcome of some work, and how long it took by the fake clock, in milliseconds. */
async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const started = performance.now();
  let isDone = false;
  const watch = () => {
    isDone = true;
  };
  work.then(watch, watch);
  while (!isDone) await vi.advanceTimersByTimeAsync(10);
  return { result: await work, ms: performance.now() - started };
}

describe('a loader of definitions', () => {
  test('loads all in one host, which is given back', async () => {
    const { load, hosts, sound } = open();
    const { result } = await timed(load('ok1', 'ok2', 'ok3'));
    expect(result).toEqual(['ok', 'ok', 'ok']);
    await vi.advanceTimersByTimeAsync(10);
    expect(hosts).toHaveLength(1);
    expect(sound).toEqual(hosts);
  });

  test('leaves out a definition that ends a host in which it is the first', async () => {
    const { load, hosts } = open();
    const { result } = await timed(load('exits1', 'ok1'));
    expect(result).toEqual([exited, 'ok']);
    expect(hosts).toHaveLength(2);
  });

  test('loads a definition again if the host that it ended had loaded others', async () => {
    const { load, wanted } = open();
    const { result } = await timed(load('ok1', 'kills1', 'ok2'));
    expect(result).toEqual(['ok', killed, 'ok']);
    expect(wanted.some(({ isFresh }) => isFresh)).toBe(true);
  });

  test('blames the definition that ends its host after it was loaded', async () => {
    const { loader, load, harmful } = open();
    await timed(load('ok1', 'later1', 'ok2'));
    loader.suspect(['ok1', 'later1', 'ok2', 'later2'].map(definition), 50);
    await timed(loader.cleared());
    expect(harmful).toEqual(['later1', 'later2']);
  });

  test('blames nothing that survives', async () => {
    const { loader, harmful, hosts } = open();
    loader.suspect(['ok1', 'ok2'].map(definition), 50);
    await timed(loader.cleared());
    expect(harmful).toEqual([]);
    expect(hosts).toHaveLength(1);
  });

  test('leaves out a definition after a signal has ended two hosts that loaded it', async () => {
    const { load, hosts } = open();
    expect((await timed(load('killed-once1'))).result).toEqual(['ok']);
    expect((await timed(load('kills1', 'ok1'))).result).toEqual([killed, 'ok']);
    expect(hosts.filter(({ files }) => files.includes('kills1'))).toHaveLength(2);
  });

  test('loads a definition elsewhere while code of another one blocks its host', async () => {
    const { loader, load, hosts, harmful } = open();
    const { result, ms } = await timed(load('ok1', 'blocks-soon1', 'slow1', 'ok2'));
    expect(result).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(ms).toBeLessThan(3000);
    await vi.advanceTimersByTimeAsync(2000);
    await timed(loader.cleared());
    expect(harmful).toEqual(['blocks-soon1']);
    expect(hosts.every(({ isOver, files }) => isOver || !files.includes('blocks-soon1'))).toBe(true);
  });

  test.each([
    ['was silent once', 'slow-once1'],
    ['was killed once', 'killed-once1'],
    ['was silent while the machine was busy', 'busy1'],
  ])('does not blame a definition whose host %s', async (_, file) => {
    const { loader, harmful, hosts } = open();
    loader.suspect([definition(file)], 50);
    await timed(loader.cleared());
    expect(harmful).toEqual([]);
    expect(hosts.length).toBeGreaterThan(1);
  });

  test.each([
    ['kills its hosts while it loads', 'kills1'],
    ['blocks its hosts while it loads', 'blocks1'],
    ['blocks its hosts after it was loaded', 'blocks-soon1'],
    ['changes what all code of its hosts shares', 'tampers1'],
  ])('blames a definition that %s', async (_, file) => {
    const { loader, harmful } = open();
    loader.suspect([definition('ok1'), definition(file)], 50);
    await timed(loader.cleared());
    expect(harmful).toEqual([file]);
  });

  test('loads what waits in another host while one is blocked', async () => {
    const { load, hosts } = open();
    const ok = timed(load('blocks1', 'ok1').then(() => {}));
    await vi.advanceTimersByTimeAsync(2000);
    expect(hosts.map(({ files }) => files)).toEqual([['blocks1'], ['ok1']]);
    await ok;
  });

  test('loads the next definition elsewhere if a slow host answers before one blocks it', async () => {
    const { load } = open();
    const blocked = load('blocks-late1');
    const { result, ms } = await timed(load('slow1', 'ok1'));
    expect(result).toEqual(['ok', 'ok']);
    expect(ms).toBeLessThan(4000);
    expect((await timed(blocked)).result).toEqual([late('blocks-late1')]);
  });

  test('knows twenty definitions that block within 15 s', async () => {
    const { load } = open();
    const names = Array.from({ length: 20 }, (_, index) => `blocks${index}`);
    const { result, ms } = await timed(load(...names, 'ok1'));
    expect(result).toEqual([...names.map(late), 'ok']);
    expect(ms).toBeLessThan(15_000);
  });

  test('gives up definitions that never load together, and keeps the host', async () => {
    const { load, hosts, sound } = open();
    const { result, ms } = await timed(load('never1', 'never2', 'ok1', 'never3'));
    expect(result).toEqual([late('never1'), late('never2'), 'ok', late('never3')]);
    expect(ms).toBeLessThanOrEqual(10_010);
    await vi.advanceTimersByTimeAsync(10);
    expect(hosts).toHaveLength(1);
    expect(sound).toEqual(hosts);
  });

  test('starts several hosts for many definitions that end theirs', async () => {
    const { load, hosts } = open();
    const names = Array.from({ length: 30 }, (_, index) => `exits${index}`);
    const { result } = await timed(load(...names));
    expect(result).toEqual(names.map(() => exited));
    expect(hosts.length).toBeLessThan(40);
  });
});
