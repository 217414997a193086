import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { thisProcess } from '../../../src/engine/files/holder.js';
import { withLock } from '../../../src/engine/files/lock.js';
import { replaceTextFile } from '../../../src/engine/files/replace.js';
import { readTextFile } from '../../../src/engine/files/text-file.js';
import { addFiles, writeFolder } from '../../support/packages.js';
import type { Fault } from './support/faults.js';
import { runProgram, startProgram, writeProgram } from './support/programs.js';

/** What a file holds, by name. */
const texts = {
  none: null,
  old: 'old\n'.repeat(50_000),
  new: 'new\r\n'.repeat(60_000),
} satisfies Record<string, string | null>;

type Holding = keyof typeof texts;

function holdingOf(file: string): string {
  const text = textOf(file);
  return Object.entries(texts).find(([, one]) => one === text)?.[0] ?? `torn: ${text?.slice(0, 100)}`;
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Leaves a lock as a process that has ended would. */
function leaveLock(lockFile: string): void {
  const { pid } = spawnSync('true');
  addFiles(path.dirname(lockFile), { [path.basename(lockFile)]: { ...thisProcess(), pid, token: 'dead' } });
}

/** What every run after a crash must be able to do at once. */
async function replaceLocked(lockFile: string, file: string, text: string): Promise<void> {
  const work = async () => replaceTextFile(await readTextFile(file), text);
  await withLock(lockFile, work, { waitMs: 0 });
}

describe('a disk that is full', () => {
  const onFullDisk = `
    const { folder, before } = input;
    const file = folder + '/made/a.json';
    if (before !== null) {
      fs.mkdirSync(folder + '/made');
      fs.writeFileSync(file, before);
    }
    const seen = await files.readTextFile(file);
    const error = await files.replaceTextFile(seen, 'new'.repeat(200_000)).catch((error) => error);
    const after = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
    const names = fs.readdirSync(folder, { recursive: true });
    console.log(JSON.stringify({ reason: error?.reason, after, names }));
  `;

  /** Ways to a disk that takes the old text and not the new one. Not everybody may mount. */
  const disks = {
    'a limit of 1 kB for a file': ['bash', '-c', 'ulimit -f 1; exec "$@"', 'bash'],
    'a disk of 64 kB': [
      'unshare',
      '--mount',
      'sh',
      '-c',
      'mount -t tmpfs -o size=64k none "$0" && exec "$@"',
    ],
  };

  it.each([
    ['the old text', 'old'],
    ['no file, nor its folder', null],
  ])('keeps %s', { timeout: 60_000 }, async (_what, before) => {
    const program = await writeProgram(onFullDisk);
    const reports: unknown[] = [];
    for (const [name, wrapper] of Object.entries(disks)) {
      const folder = writeFolder();
      const isMount = name === 'a disk of 64 kB';
      if (isMount && spawnSync(wrapper[0]!, [...wrapper.slice(1), folder, 'true']).status !== 0) continue;
      const run = await runProgram(program, { folder, before }, [...wrapper, ...(isMount ? [folder] : [])]);
      expect(run.stderr).toBe('');
      reports.push(JSON.parse(run.stdout));
    }
    const names = before === null ? [] : ['made', 'made/a.json'];
    expect(reports.length).toBeGreaterThan(0);
    for (const report of reports) expect(report).toEqual({ reason: 'disk-full', after: before, names });
  });
});

interface Trial {
  readonly folder: string;
  readonly text: string | null;
  readonly fault: Fault;
}

/** Makes ready for a trial: the file, and a lock that somebody left, so that taking it over is on the way. */
function prepare(before: Holding): { folder: string; file: string; lockFile: string } {
  const text = texts[before];
  const folder = writeFolder(text === null ? {} : { 'made/a.json': text });
  const lockFile = path.join(folder, 'locks/a.lock');
  leaveLock(lockFile);
  return { folder, file: path.join(folder, 'made/a.json'), lockFile };
}

const tryAll = `
  for (const { folder, text, fault } of input) {
    await files.arm(fault);
    const work = async () => files.replaceTextFile(await files.readTextFile(folder + '/made/a.json'), text);
    const error = await files.withLock(folder + '/locks/a.lock', work, { waitMs: 0 }).catch((error) => error);
    const steps = files.disarm();
    console.log(JSON.stringify({ said: error === undefined ? 'done' : (error.reason ?? error.stack), steps }));
  }
`;

interface Report {
  readonly said: string;
  readonly steps: readonly string[];
}

async function runTrials(trials: readonly Trial[]): Promise<readonly Report[]> {
  const { stdout, stderr } = await runProgram(await writeProgram(tryAll), trials);
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Report);
}

/** The names of all steps of a change. */
async function stepsOf(before: Holding, after: Holding): Promise<readonly string[]> {
  const { folder, file } = prepare(before);
  const [report] = await runTrials([{ folder, text: texts[after], fault: { step: 0, kind: 'fail' } }]);
  expect(report!.said).toBe('done');
  expect(holdingOf(file)).toBe(after);
  return report!.steps;
}

describe.each<[string, Holding, Holding]>([
  ['is changed', 'old', 'new'],
  ['is made', 'none', 'new'],
  ['is deleted', 'old', 'none'],
])('while a file %s', (_what, before, after) => {
  it('an error of the disk at any step leaves it whole, and nothing beside it but what could not be removed', {
    timeout: 60_000,
  }, async () => {
    const steps = await stepsOf(before, after);
    const trials = steps.map((name, index) => ({
      ...prepare(before),
      name,
      fault: { step: index + 1, kind: 'fail' } as const,
    }));
    const reports = await runTrials(
      trials.map(({ folder, fault }) => ({ folder, text: texts[after], fault })),
    );
    expect(reports).toHaveLength(steps.length);
    for (const [index, { folder, file, name }] of trials.entries()) {
      const { said } = reports[index]!;
      const story = `${index + 1} ${name}: ${said}`;
      const isDone = said === 'done' || said === 'not-kept';
      const left = isDone ? after : before;
      expect(said, story).toMatch(/^(done|locked|not-readable|not-written|not-kept)$/);
      expect(holdingOf(file), story).toBe(left);
      const names = namesIn(path.dirname(file)).filter((one) => name !== 'rm' || one === 'a.json');
      expect(names, story).toEqual(left === 'none' ? [] : ['a.json']);
      expect(existsSync(path.join(folder, 'made')), story).toBe(isDone || before !== 'none');
    }
  });

  it('kill -9 at any step leaves it whole, and blocks nobody', { timeout: 120_000 }, async () => {
    const steps = await stepsOf(before, after);
    const faults = steps.flatMap((name, index): Fault[] => {
      const step = index + 1;
      if (name !== 'writeFile') return [{ step, kind: 'die' }];
      return [
        { step, kind: 'die' },
        { step, kind: 'die-halfway' },
      ];
    });
    expect(faults.length).toBeGreaterThanOrEqual(40);
    const program = await writeProgram(tryAll);
    const seen = new Set<string>();
    await inLanes(faults, async (fault) => {
      const story = JSON.stringify(fault);
      const { folder, file, lockFile } = prepare(before);
      const { signal, stderr } = await runProgram(program, [{ folder, text: texts[after], fault }]);
      expect(signal, `${story} ${stderr}`).toBe('SIGKILL');
      expect(holdingOf(file), story).toBeOneOf([before, after]);
      seen.add(holdingOf(file));
      const beside = namesIn(path.dirname(file)).filter((name) => name !== 'a.json');
      expect(beside.length, story).toBeLessThanOrEqual(1);

      await replaceLocked(lockFile, file, 'next');
      expect(textOf(file), story).toBe('next');
      expect(namesIn(path.dirname(file)), story).toEqual(['a.json']);
      expect(namesIn(path.dirname(lockFile)), story).toEqual([]);
    });
    expect([...seen].sort()).toEqual([before, after].sort());
  });
});

async function inLanes<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
  const waiting = [...things];
  const lane = async () => {
    for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) await work(thing);
  };
  await Promise.all([lane(), lane(), lane()]);
}

describe('many processes', () => {
  it('killed at random moments leave one text or the other', { timeout: 120_000 }, async () => {
    const program = await writeProgram(`
      const { file, lockFile, texts } = input;
      process.stdout.write('.');
      for (let turn = 0; ; turn++) {
        const work = async () => files.replaceTextFile(await files.readTextFile(file), texts[turn % 2]);
        await files.withLock(lockFile, work, { waitMs: 0 });
      }
    `);
    const folder = writeFolder({ 'made/a.json': texts.old });
    const file = path.join(folder, 'made/a.json');
    const lockFile = path.join(folder, 'locks/a.lock');
    for (let round = 0; round < 40; round++) {
      const { child, ended } = startProgram(program, { file, lockFile, texts: [texts.new, texts.old] });
      child.stdout!.once('data', () => void delay(Math.random() * 30).then(() => child.kill('SIGKILL')));
      const { signal, stderr } = await ended;
      expect(signal, stderr).toBe('SIGKILL');
      expect(holdingOf(file)).toBeOneOf(['old', 'new']);
      const beside = namesIn(path.dirname(file)).filter((name) => name !== 'a.json');
      expect(beside.length).toBeLessThanOrEqual(1);
    }
    await replaceLocked(lockFile, file, 'next');
    expect(namesIn(path.dirname(file))).toEqual(['a.json']);
    expect(namesIn(path.dirname(lockFile))).toEqual([]);
  });

  it('that add to one file at once lose nothing', { timeout: 60_000 }, async () => {
    const program = await writeProgram(`
      const { file, lockFile, name } = input;
      for (let turn = 1; turn <= 5; turn++) {
        await files.withLock(lockFile, async () => {
          const before = await files.readTextFile(file);
          await files.replaceTextFile(before, (before.text ?? '') + name + turn + ' ');
        });
      }
    `);
    const folder = writeFolder();
    const file = path.join(folder, 'made/a.txt');
    const lockFile = path.join(folder, 'locks/a.lock');
    leaveLock(lockFile);
    const names = [...'abcdefgh'];
    const runs = await Promise.all(names.map((name) => runProgram(program, { file, lockFile, name })));
    for (const { code, stderr } of runs) expect(code, stderr).toBe(0);
    const words = textOf(file)!.trim().split(' ');
    expect(words.sort()).toEqual(names.flatMap((name) => [1, 2, 3, 4, 5].map((turn) => name + turn)));
  });

  it('that die holding a lock never let two in at once', { timeout: 60_000 }, async () => {
    const program = await writeProgram(`
      const { inside, lockFile } = input;
      for (let turn = 1; turn <= 30; turn++) {
        await files.withLock(lockFile, async () => {
          fs.writeFileSync(inside, String(process.pid), { flag: 'wx' });
          await new Promise((resolve) => setTimeout(resolve, 1));
          fs.unlinkSync(inside);
          if (Math.random() < 0.1) process.kill(process.pid, 'SIGKILL');
        });
      }
    `);
    const folder = writeFolder();
    const lockFile = path.join(folder, 'locks/a.lock');
    leaveLock(lockFile);
    const runs = Array.from({ length: 8 }, async () => {
      for (let start = 0; start < 4; start++) {
        const { code, signal, stderr } = await runProgram(program, {
          inside: path.join(folder, 'inside'),
          lockFile,
        });
        expect(signal ?? code, stderr).toBeOneOf([0, 'SIGKILL']);
      }
    });
    await Promise.all(runs);
    expect(await withLock(lockFile, async () => 'free', { waitMs: 0 })).toBe('free');
    expect(namesIn(path.dirname(lockFile))).toEqual([]);
  });
});
