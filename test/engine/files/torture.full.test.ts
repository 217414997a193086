import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withLock } from '../../../src/engine/files/lock.js';
import { inLanes } from '../../support/lanes.js';
import { writeFolder } from '../../support/packages.js';
import type { Fault } from './support/faults.js';
import { runProgram, startProgram, writeProgram } from './support/programs.js';
import {
  changes,
  expectAdditions,
  holdingOf,
  leaveLock,
  namesIn,
  prepare,
  replaceLocked,
  stepsOf,
  textOf,
  texts,
  tryAll,
} from './support/trials.js';

describe.each(changes)('while a file %s', (_what, before, after) => {
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
    await expectAdditions([...'abcdefgh']);
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
