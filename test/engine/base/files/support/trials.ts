import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { withLock } from '../../../../../src/engine/base/files/lock.js';
import { thisProcess } from '../../../../../src/engine/base/files/lock-holder.js';
import { replaceTextFile } from '../../../../../src/engine/base/files/replace.js';
import { readTextFile } from '../../../../../src/engine/base/files/text-file.js';
import { addFiles, writeFolder } from '../../../../support/packages.js';
import type { Fault } from './faults.js';
import { runProgram, writeProgram } from './programs.js';

/** Random kills need texts that take a while to write. */
const lines = process.env.AGENTTOOLS_TEST_ALL === '1' ? 50_000 : 2_000;

/** What a file holds, by name. */
export const texts = {
  none: null,
  old: 'old\n'.repeat(lines),
  new: 'new\r\n'.repeat(lines * 1.2),
} satisfies Record<string, string | null>;

export type Holding = keyof typeof texts;

export function holdingOf(file: string): string {
  const text = textOf(file);
  return Object.entries(texts).find(([, one]) => one === text)?.[0] ?? `torn: ${text?.slice(0, 100)}`;
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

export function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Leaves a lock as a process that has ended would. */
function leaveLock(lockFile: string): void {
  const { pid } = spawnSync('true');
  addFiles(path.dirname(lockFile), { [path.basename(lockFile)]: { ...thisProcess(), pid, token: 'dead' } });
}

export interface Trial {
  readonly folder: string;
  readonly text: string | null;
  readonly fault: Fault;
}

/** Makes ready for a trial: the file, and a lock that somebody left, so that taking it over is on the way. */
export function prepare(before: Holding): { folder: string; file: string; lockFile: string } {
  const text = texts[before];
  const folder = writeFolder(text === null ? {} : { 'made/a.json': text });
  const lockFile = path.join(folder, 'locks/a.lock');
  leaveLock(lockFile);
  return { folder, file: path.join(folder, 'made/a.json'), lockFile };
}

export const tryAll = `
  for (const { folder, text, fault } of input) {
    await files.arm(fault);
    const work = async () => files.replaceTextFile(await files.readTextFile(folder + '/made/a.json'), text);
    const error = await files.withLock(folder + '/locks/a.lock', work, { waitMs: 0 }).catch((error) => error);
    const steps = files.disarm();
    console.log(JSON.stringify({ said: error === undefined ? 'done' : (error.reason ?? error.stack), steps }));
  }
`;

export interface Report {
  readonly said: string;
  readonly steps: readonly string[];
}

export async function runTrials(trials: readonly Trial[]): Promise<readonly Report[]> {
  const { stdout, stderr } = await runProgram(await writeProgram(tryAll), trials);
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Report);
}

/** The names of all steps of a change. */
export async function stepsOf(before: Holding, after: Holding): Promise<readonly string[]> {
  const { folder, file } = prepare(before);
  const [report] = await runTrials([{ folder, text: texts[after], fault: { step: 0, kind: 'fail' } }]);
  expect(report!.said).toBe('done');
  expect(holdingOf(file)).toBe(after);
  return report!.steps;
}

/** Changes of a file, by its texts before and after. */
export const changes: readonly (readonly [string, Holding, Holding])[] = [
  ['is changed', 'old', 'new'],
  ['is made', 'none', 'new'],
  ['is deleted', 'old', 'none'],
];

/** Processes with these names add to one file at once, five times each; nothing of it is lost. */
export async function expectAdditions(names: readonly string[]): Promise<void> {
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
  const runs = await Promise.all(names.map((name) => runProgram(program, { file, lockFile, name })));
  for (const { code, stderr } of runs) expect(code, stderr).toBe(0);
  const words = textOf(file)!.trim().split(' ');
  expect(words.sort()).toEqual(names.flatMap((name) => [1, 2, 3, 4, 5].map((turn) => name + turn)));
}

/** Expects a whole file after a process died while changing it, with at most one file beside it. Returns what it holds. */
export function expectWhole(file: string, holdings: readonly Holding[], story?: string): string {
  const holding = holdingOf(file);
  expect(holding, story).toBeOneOf([...holdings]);
  const beside = namesIn(path.dirname(file)).filter((name) => name !== path.basename(file));
  expect(beside.length, story).toBeLessThanOrEqual(1);
  return holding;
}

/** Expects that the next process changes the file at once and removes what dead processes left beside it and its lock. */
export async function expectTakeover(lockFile: string, file: string, story?: string): Promise<void> {
  const work = async () => replaceTextFile(await readTextFile(file), 'next');
  await withLock(lockFile, work, { waitMs: 0 });
  expect(textOf(file), story).toBe('next');
  expect(namesIn(path.dirname(file)), story).toEqual([path.basename(file)]);
  expect(namesIn(path.dirname(lockFile)), story).toEqual([]);
}

/** How often a process takes a lock. A killed one dies while it holds the lock for the last time. */
export interface Life {
  readonly turns: number;
  readonly isKilled: boolean;
}

/** Runs the processes of each row in turn, and all rows at once. Expects that no two hold the lock, and that it ends free. */
export async function expectExclusion(rows: readonly (readonly Life[])[]): Promise<void> {
  const program = await writeProgram(`
    const { folder, lockFile, row, rowCount, turns, isKilled } = input;
    const inside = folder + '/inside';
    // All rows begin together: starting a process takes longer than all its turns.
    fs.mkdirSync(folder + '/started/' + row, { recursive: true });
    while (fs.readdirSync(folder + '/started').length < rowCount) await new Promise(setImmediate);
    for (let turn = 1; turn <= turns; turn++) {
      await files.withLock(lockFile, async () => {
        fs.writeFileSync(inside, String(process.pid), { flag: 'wx' });
        await new Promise((resolve) => setTimeout(resolve, 1));
        fs.unlinkSync(inside);
        if (isKilled && turn === turns) process.kill(process.pid, 'SIGKILL');
      });
    }
  `);
  const folder = writeFolder();
  const lockFile = path.join(folder, 'locks/a.lock');
  leaveLock(lockFile);
  const runs = rows.map(async (lives, row) => {
    for (const life of lives) {
      const input = { folder, lockFile, row, rowCount: rows.length, ...life };
      const { code, signal, stderr } = await runProgram(program, input);
      expect(signal ?? code, stderr).toBe(life.isKilled ? 'SIGKILL' : 0);
    }
  });
  await Promise.all(runs);
  expect(await withLock(lockFile, async () => 'free', { waitMs: 0 })).toBe('free');
  expect(namesIn(path.dirname(lockFile))).toEqual([]);
}
