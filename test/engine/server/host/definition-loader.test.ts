import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type DefinitionFile,
  DefinitionLoader,
  type LoadingHost,
  type WantedHost,
} from '../../../../src/engine/server/host/definition-loader.js';
import { HostEndedError } from '../../../../src/engine/server/host/host-error.js';

/** Behaviours of definitions by the beginning of their name. */
type Behaviour = 'ok' | 'kills' | 'blocks' | 'never' | 'later';

/** A host whose definitions behave as their names say. */
class FakeHost implements LoadingHost {
  readonly files: string[] = [];
  isOver = false;
  reason = '';
  #isBlocked = false;
  readonly #rejects = new Set<(error: Error) => void>();

  describe(file: string): Promise<unknown> {
    this.files.push(file);
    const behaviour = file.replace(/\d+$/, '') as Behaviour;
    return new Promise((resolve, reject) => {
      this.#rejects.add(reject);
      if (this.#isBlocked || behaviour === 'never') return;
      if (behaviour === 'blocks') this.#isBlocked = true;
      if (behaviour === 'kills') setTimeout(() => this.end('was ended by SIGKILL'), 1);
      if (behaviour === 'later') setTimeout(() => this.end('was ended by SIGKILL'), 50);
      if (behaviour === 'ok' || behaviour === 'later') setTimeout(resolve, 1, { value: file, faults: [] });
    });
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
  const sound: FakeHost[] = [];
  const loader = new DefinitionLoader<FakeHost>({
    openHost: async (want) => {
      wanted.push(want);
      const host = new FakeHost();
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
const late = (file: string) => `the process that loaded it did not load ${file} within 10 s`;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

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
    const { result } = await timed(load('kills1', 'ok1'));
    expect(result).toEqual([killed, 'ok']);
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

  test('loads what waits in another host while one is blocked', async () => {
    const { load, hosts } = open();
    const ok = timed(load('blocks1', 'ok1').then(() => {}));
    await vi.advanceTimersByTimeAsync(2000);
    expect(hosts.map(({ files }) => files)).toEqual([['blocks1'], ['ok1']]);
    await ok;
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
    const names = Array.from({ length: 30 }, (_, index) => `kills${index}`);
    const { result } = await timed(load(...names));
    expect(result).toEqual(names.map(() => killed));
    expect(hosts.length).toBeLessThan(40);
  });
});
