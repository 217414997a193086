import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inLanes } from '../../../support/lanes.js';
import { writeFolder } from '../../../support/packages.js';
import type { Fault } from './support/faults.js';
import { runProgram, startProgram, writeProgram } from './support/programs.js';
import {
  changes,
  expectAdditions,
  expectExclusion,
  expectTakeover,
  expectWhole,
  prepare,
  stepsOf,
  texts,
  tryAll,
} from './support/trials.js';

describe.each(changes)('while a file %s', (_what, before, after) => {
  it('stays whole after kill -9 at any step, and blocks no other process', { timeout: 120_000 }, async () => {
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
      seen.add(expectWhole(file, [before, after], story));
      await expectTakeover(lockFile, file, story);
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
      expectWhole(file, ['old', 'new']);
    }
    await expectTakeover(lockFile, file);
  });

  it('add to one file at once without loss', { timeout: 60_000 }, async () => {
    await expectAdditions([...'abcdefgh']);
  });

  it('never hold a lock twice if holders die', { timeout: 60_000 }, async () => {
    const mostTurns = 30;
    const rows = Array.from({ length: 8 }, () =>
      Array.from({ length: 4 }, () => {
        // At each turn, one process in ten dies.
        const turns = Math.ceil(Math.log(1 - Math.random()) / Math.log(0.9)) || 1;
        return { turns: Math.min(turns, mostTurns), isKilled: turns <= mostTurns };
      }),
    );
    await expectExclusion(rows);
  });
});
