import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { SurfaceStore, type SurfaceStoreOptions } from '../../../src/engine/host/surface-store.js';
import { addFiles, writeFolder } from '../../support/packages.js';

const tool = 'agenttools/tools/a.js';
const env = { KEY: 'one', OTHER: 'x', HOME: '/home/user' };
const sent = { value: { description: 'A.' }, faults: [], env: ['KEY', 'MISSING'] };

let folder: string;
let directory: string;

beforeEach(() => {
  folder = path.join(writeFolder(), 'surfaces');
  directory = path.join(
    writeFolder({ 'app/node_modules/kit/package.json': '{}', 'app/package.json': '{}' }),
    'app/node_modules/kit',
  );
  addFiles(directory, { [tool]: 'code', 'lib/deep/used.js': 'code' });
});

function openStore(options: Partial<SurfaceStoreOptions> = {}): SurfaceStore {
  return new SurfaceStore({ folder, context: ['1.0.0'], env, platform: 'linux', ...options });
}

/** Records one module as a start without a record does. */
async function record(description: unknown = sent): Promise<void> {
  const store = openStore();
  expect(store.find(directory, tool)).toBeUndefined();
  store.stamp();
  store.add(directory, tool, description);
  await store.flush();
}

const found = (options?: Partial<SurfaceStoreOptions>) => openStore(options).find(directory, tool);
const recordFile = () => path.join(folder, readdirSync(folder)[0]!);

describe('a recorded description', () => {
  it('is found by the next start', async () => {
    await record();
    expect(found()).toEqual({ value: { description: 'A.' }, faults: [] });
    expect(openStore().find(directory, 'agenttools/tools/b.js')).toBeUndefined();
  });

  it('keeps faults', async () => {
    const faults = [{ path: ['meta'], what: 'a BigInt', lacksForm: true }];
    await record({ ...sent, faults });
    expect(found()).toEqual({ value: sent.value, faults });
  });

  it('keeps the other modules of the package', async () => {
    await record();
    const store = openStore();
    store.find(directory, tool);
    store.add(directory, 'agenttools/tools/b.js', { ...sent, env: [] });
    await store.flush();
    expect(found()).toBeDefined();
    expect(openStore().find(directory, 'agenttools/tools/b.js')).toBeDefined();
    expect(found({ env: { ...env, KEY: 'two' } })).toBeUndefined();
  });

  it.runIf(process.platform !== 'win32')(
    'is readable by its owner only, without values of variables',
    async () => {
      await record();
      expect(statSync(recordFile()).mode & 0o777).toBe(0o600);
      expect(readFileSync(recordFile(), 'utf8')).not.toContain('"one"');
    },
  );

  it.each<[string, () => void]>([
    ['a changed module', () => addFiles(directory, { [tool]: 'other code' })],
    ['a changed file below a folder', () => addFiles(directory, { 'lib/deep/used.js': 'other code' })],
    ['a new file', () => addFiles(directory, { 'lib/new.js': '' })],
    ['a deleted file', () => rmSync(path.join(directory, 'lib/deep/used.js'))],
    ['a new dot file', () => addFiles(directory, { '.env': 'A=1' })],
    ['a dependency of its own', () => addFiles(directory, { 'node_modules/dep/index.js': '' })],
    ['another installation around it', () => addFiles(directory, { '../.package-lock.json': '{ }' })],
    ['another package.json around it', () => addFiles(directory, { '../../package.json': '{ }' })],
  ])('does not count after %s', async (_, change) => {
    await record();
    // Times of files go by ticks of the system.
    await sleep(20);
    change();
    expect(found()).toBeUndefined();
  });

  it('does not count after a file was replaced by one of the same size and modification time', async () => {
    // Yarn gives all files of packages one time.
    const file = path.join(directory, tool);
    const time = new Date('1984-06-22T21:50:00Z');
    utimesSync(file, time, time);
    await record();
    await sleep(20);
    writeFileSync(file, 'edoc');
    utimesSync(file, time, time);
    expect(found()).toBeUndefined();
  });

  it.each<[string, () => void]>([
    ['a dot folder', () => addFiles(directory, { '.git/HEAD': 'x' })],
    ['a package of its dependencies', () => addFiles(directory, { '../other/index.js': 'x' })],
  ])('counts after a change in %s', async (_, change) => {
    addFiles(directory, { '.git/HEAD': '', '../other/index.js': '' });
    await record();
    change();
    expect(found()).toBeDefined();
  });

  it.each([
    ['another program', { context: ['1.0.1'] }],
    ['another value of a variable that code reads', { env: { ...env, KEY: 'two' } }],
    ['a value of a variable that was missing', { env: { ...env, MISSING: '' } }],
    ['another home folder', { env: { ...env, HOME: '/home/other' } }],
  ])('does not count with %s', async (_, options) => {
    await record();
    expect(found(options)).toBeUndefined();
  });

  it('counts with another value of a variable that no code reads', async () => {
    await record();
    expect(found({ env: { ...env, OTHER: 'y' } })).toBeDefined();
  });

  it.each([
    ['null', null],
    ['no list', 'KEY'],
    ['a long list', Array.from({ length: 501 }, (_, index) => `NAME${index}`)],
  ])('depends on all variables if the host sends %s', async (_, names) => {
    await record({ ...sent, env: names });
    expect(found()).toBeDefined();
    expect(found({ env: { ...env, OTHER: 'y' } })).toBeUndefined();
  });

  it('ignores the case of variables on Windows', async () => {
    await record();
    const { KEY, ...others } = env;
    expect(found({ env: { ...others, Key: KEY } })).toBeUndefined();
    const store = openStore({ platform: 'win32', context: ['windows'] });
    store.find(directory, tool);
    store.stamp();
    store.add(directory, tool, sent);
    await store.flush();
    expect(found({ platform: 'win32', context: ['windows'], env: { ...others, Key: KEY } })).toBeDefined();
  });

  it.each([
    ['no JSON', '{"format":1,'],
    ['no object', '[]'],
    ['nothing', ''],
  ])('is ignored if its file holds %s', async (_, text) => {
    await record();
    writeFileSync(recordFile(), text);
    expect(found()).toBeUndefined();
  });

  it.each([
    ['another format', { format: 0 }],
    ['no modules', { modules: [] }],
    ['a module without faults', { modules: { [tool]: { value: {} } } }],
    ['a module with unreadable faults', { modules: { [tool]: { value: {}, faults: [1] } } }],
  ])('is ignored with %s', async (_, changes) => {
    await record();
    const text = readFileSync(recordFile(), 'utf8');
    writeFileSync(recordFile(), JSON.stringify({ ...JSON.parse(text), ...changes }));
    expect(found()).toBeUndefined();
  });
});

describe('a store', () => {
  it('stamps a package before its code is loaded', async () => {
    const store = openStore();
    store.find(directory, tool);
    store.stamp();
    addFiles(directory, { [tool]: 'code that was not loaded' });
    store.add(directory, tool, sent);
    await store.flush();
    expect(found()).toBeUndefined();
  });

  it('records no package with too many files', async () => {
    for (let index = 0; index < 2000; index += 1) writeFileSync(path.join(directory, `${index}.txt`), '');
    await record();
    expect(readdirSync(path.dirname(folder))).toEqual([]);
  });

  it.runIf(process.platform !== 'win32')('records no package with a loop of links', async () => {
    symlinkSync('.', path.join(directory, 'loop'));
    await record();
    expect(found()).toBeUndefined();
  });

  it('records nothing above 8 MiB', async () => {
    await record({ ...sent, value: 'x'.repeat(8 * 1024 * 1024) });
    expect(found()).toBeUndefined();
  });

  it('works where nothing can be written', async () => {
    writeFileSync(folder, 'a file in place of the folder');
    await record();
    expect(found()).toBeUndefined();
  });

  it('deletes old records when it writes', async () => {
    mkdirSync(folder, { recursive: true });
    const name = (digit: string) => `${digit.repeat(32)}.json`;
    const days = (count: number) => new Date(Date.now() - count * 24 * 60 * 60 * 1000);
    for (const [file, age] of [
      [name('a'), 61],
      [name('b'), 59],
      ['notes.txt', 61],
    ] as const) {
      writeFileSync(path.join(folder, file), '{}');
      utimesSync(path.join(folder, file), days(age), days(age));
    }
    await record();
    expect(readdirSync(folder)).toHaveLength(3);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining([name('b'), 'notes.txt']));
  });

  it('compares what a host describes with the record', async () => {
    await record();
    const store = openStore();
    store.find(directory, tool);
    expect(store.isRecordOf(directory, tool, sent)).toBe(true);
    expect(store.isRecordOf(directory, tool, { ...sent, value: { description: 'B.' } })).toBe(false);
    expect(store.isRecordOf(directory, tool, undefined)).toBe(false);
  });

  it('drops a record for good', async () => {
    await record();
    const store = openStore();
    store.find(directory, tool);
    store.drop(directory, tool);
    store.add(directory, tool, sent);
    expect(store.find(directory, tool)).toBeUndefined();
    await store.flush();
    expect(found()).toBeUndefined();
  });
});

it('waits for a write that has begun', async () => {
  const store = openStore();
  store.stamp();
  store.add(directory, tool, sent);
  const first = store.flush();
  let isWritten = false;
  void first.then(() => {
    isWritten = true;
  });
  await store.flush();
  expect(isWritten).toBe(true);
});
