import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFolder } from '../../../support/packages.js';
import { runProgram, writeProgram } from './support/programs.js';
import {
  changes,
  expectAdditions,
  expectExclusion,
  expectTakeover,
  expectWhole,
  holdingOf,
  namesIn,
  prepare,
  runTrials,
  stepsOf,
  texts,
} from './support/trials.js';

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

describe.each(changes)('while a file %s', (_what, before, after) => {
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

  it('death at any step leaves it whole, and the lock to the next process', async () => {
    const { folder, file, lockFile } = prepare(before);
    const images = writeFolder();
    const program = await writeProgram(`
      const { folder, images, text } = input;
      const names = [];
      await files.watchMoments((name) => {
        names.push(name);
        fs.cpSync(folder, images + '/' + names.length, { recursive: true });
      });
      const work = async () => files.replaceTextFile(await files.readTextFile(folder + '/made/a.json'), text);
      await files.withLock(folder + '/locks/a.lock', work, { waitMs: 0 });
      console.log(JSON.stringify(names));
    `);
    const run = await runProgram(program, { folder, images, text: texts[after] });
    expect(run.stderr).toBe('');
    const moments: readonly string[] = JSON.parse(run.stdout);
    expect(moments.length).toBeGreaterThanOrEqual(40);
    const seen = new Set<string>();
    for (const [index, name] of moments.entries()) {
      const story = `${index + 1} ${name}`;
      rmSync(folder, { recursive: true });
      renameSync(path.join(images, `${index + 1}`), folder);
      seen.add(expectWhole(file, [before, after], story));
      await expectTakeover(lockFile, file, story);
    }
    expect([...seen].sort()).toEqual([before, after].sort());
  });
});

describe('three processes', () => {
  it('add to one file at once without loss', async () => {
    await expectAdditions([...'abc']);
  });

  it('never hold a lock twice if holders die', async () => {
    await expectExclusion([3, 6, 9].map((turns) => [{ turns, isKilled: true }]));
  });
});
