import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../engine/base/files/support/faults.js';
import { inLanes } from '../support/lanes.js';
import { writeFolder } from '../support/packages.js';
import {
  all,
  expectAllSurvive,
  expectDone,
  expectFileWriteFails,
  expectFirstWriteFails,
  expectOriginal,
  type ProcessOptions,
  type ProcessRun,
  padded,
  processScenarios,
  type Scenario,
  ProcessStage as Stage,
  subjectOf,
  writePreload,
} from '../support/torture.js';

const tried = new Set<Scenario>();

/** The tests of one row of `docs/config-editing.md` for which processes are needed; `test/cli` has the others. */
function scenario(name: Scenario, tests: () => void): void {
  tried.add(name);
  describe.skipIf(process.platform === 'win32').concurrent(name, tests);
}

/** A module before the program that kills it at one step to the disk, or else writes its steps into a file. */
let faults: string;
const stepsFile = 'steps.json';

beforeAll(async () => {
  faults = await writePreload(`
    const { TEST_FAULT } = process.env;
    await arm(TEST_FAULT ? JSON.parse(TEST_FAULT) : undefined);
    if (!TEST_FAULT) process.on('exit', () => fs.writeFileSync('${stepsFile}', JSON.stringify(disarm())));
  `);
});

function withFault(fault?: Fault): ProcessOptions {
  const env = { NODE_OPTIONS: `--import ${faults}`, ...(fault && { TEST_FAULT: JSON.stringify(fault) }) };
  return { env };
}

/** The steps of a command from its lock on; before that, files are only read. */
async function stepsOf(
  stage: Stage,
  run: (options: ProcessOptions) => Promise<ProcessRun>,
): Promise<readonly { readonly step: number; readonly name: string }[]> {
  expectDone(await run(withFault()));
  const names: string[] = JSON.parse(readFileSync(path.join(stage.home, stepsFile), 'utf8'));
  return names.map((name, index) => ({ step: index + 1, name })).slice(names.indexOf('mkdir'));
}

/** Every moment at which a command can die that leaves other files, or other text, behind. */
async function deathsOf(
  stage: Stage,
  run: (options: ProcessOptions) => Promise<ProcessRun>,
): Promise<Fault[]> {
  const steps = await stepsOf(stage, run);
  return steps.flatMap(({ step, name }): Fault[] => {
    if (!/^(link|rename|rm|rmdir|unlink|writeFile)$/.test(name)) return [];
    const death: Fault = { step, kind: 'die' };
    return name === 'writeFile' ? [death, { step, kind: 'die-halfway' }] : [death];
  });
}

scenario('Atomic', () => {
  const subject = subjectOf('vscode');

  test.each(['install', 'uninstall'] as const)('install, at every step; then %s', async (next) => {
    const measured = new Stage(subject, subject.ugly);
    const deaths = await deathsOf(measured, (options) => measured.install([], options));
    const installed = measured.text!;
    expect(deaths.length).toBeGreaterThan(15);
    const seen = new Set<string>();
    await inLanes(deaths, async (fault) => {
      const story = JSON.stringify(fault);
      const stage = new Stage(subject, subject.ugly);
      expect((await stage.install([], withFault(fault))).signal, story).toBe('SIGKILL');
      expect([subject.ugly, installed], story).toContain(stage.text);
      seen.add(stage.text!);
      if (next === 'uninstall') {
        expectDone(await stage.uninstall());
        return expect(stage.text, story).toBe(subject.ugly);
      }
      expectDone(await stage.install());
      expect(stage.text, story).toBe(installed);
      expectDone(await stage.uninstall());
      expectOriginal(stage, story);
    });
    expect(seen.size).toBe(2);
  });

  test('uninstall, at every step; then uninstall', async () => {
    const measured = new Stage(subject, subject.ugly);
    expectDone(await measured.install());
    const installed = measured.text!;
    const deaths = await deathsOf(measured, (options) => measured.uninstall([], options));
    expect(deaths.length).toBeGreaterThan(10);
    const seen = new Set<string>();
    await inLanes(deaths, async (fault) => {
      const story = JSON.stringify(fault);
      const stage = new Stage(subject, subject.ugly);
      expectDone(await stage.install());
      expect((await stage.uninstall([], withFault(fault))).signal, story).toBe('SIGKILL');
      expect([subject.ugly, installed], story).toContain(stage.text);
      seen.add(stage.text!);
      expectDone(await stage.uninstall());
      expectOriginal(stage, story);
    });
    expect(seen.size).toBe(2);
  });

  test.each(all)('%s: install, at random moments', async (_, one) => {
    const stage = new Stage(one, one.ugly);
    const started = performance.now();
    expectDone(await stage.install());
    const usualMs = performance.now() - started;
    const installed = stage.text!;
    expectDone(await stage.uninstall());
    for (let round = 0; round < 6; round++) {
      // What is written is written late.
      await stage.install([], { killAfterMs: usualMs * (0.4 + Math.random() * 0.6) });
      expect([one.ugly, installed]).toContain(stage.text);
      if (round % 2 === 0) expectDone(await stage.install());
      expectDone(await stage.uninstall());
      expect(stage.text).toBe(one.ugly);
    }
    expectDone(await stage.install());
    expect(stage.text).toBe(installed);
    expectDone(await stage.uninstall());
    expectOriginal(stage, 'after six deaths');
  });
});

scenario('Write fails half way', () => {
  test.each(all)('%s, at what is written first', async (_, subject) => await expectFirstWriteFails(subject));

  test.each(all)('%s, at the file itself', async (_, subject) => await expectFileWriteFails(subject));

  test.each(['install', 'uninstall'] as const)('%s, with an error of the disk at a step', async (command) => {
    const subject = subjectOf('goose');
    const measured = new Stage(subject, subject.ugly);
    let steps = await stepsOf(measured, (options) => measured.install([], options));
    const installed = measured.text!;
    if (command === 'uninstall')
      steps = await stepsOf(measured, (options) => measured.uninstall([], options));
    const [before, after] = command === 'install' ? [subject.ugly, installed] : [installed, subject.ugly];
    const writing = steps.filter(({ name }) => /^(rename|unlink|writeFile)$/.test(name));
    expect(writing.length).toBeGreaterThan(5);
    await inLanes(writing, async ({ step, name }) => {
      const stage = new Stage(subject, subject.ugly);
      if (command === 'uninstall') expectDone(await stage.install());
      const { code, stderr } = await stage[command]([], withFault({ step, kind: 'fail' }));
      const story = `${step} ${name}: ${stderr}`;
      const isDone = code === 0 || stderr.includes(`${stage.file} was changed as asked`);
      expect(code, story).toBeOneOf([0, 1]);
      expect(stage.text, story).toBe(isDone ? after : before);
      expect(/^(Installed|Removed)/m.test(stderr), story).toBe(code === 0);
      expectDone(await stage.install());
      expectDone(await stage.uninstall());
      expect(stage.text, story).toBe(subject.ugly);
    });
  });

  /** A shell whose mounts nobody else sees. Not everybody may have one. */
  const mounting = ['unshare', '--map-root-user', '--mount', 'sh', '-c'];
  const mayMount = spawnSync(mounting[0]!, [...mounting.slice(1), 'mount -t tmpfs none /mnt']).status === 0;

  test.each(mayMount ? [['codex', subjectOf('codex')] as const] : [])(
    '%s, on a disk that is full',
    async (_, subject) => {
      const stage = new Stage(subject);
      const folder = path.dirname(stage.file);
      const original = path.join(writeFolder({ original: padded(subject, 3000) }), 'original');
      const script = `mount -t tmpfs -o size=4k none '${folder}' && cp '${original}' '${stage.file}'
      "$@"; echo "exit $?, $(ls -A '${folder}')" && cmp '${original}' '${stage.file}' && echo unchanged`;
      const { stdout, stderr } = await stage.install([], { wrapper: [...mounting, script, 'sh'] });
      expect(stdout).toBe('exit 1, config.toml\nunchanged\n');
      expect(stderr).toContain(`${stage.file} could not be written (ENOSPC) and is as it was`);
      expect(stderr).not.toContain('Installed');
    },
  );
});

scenario('8 parallel installs survived', () => {
  test.each(all)('%s', async (_, subject) => await expectAllSurvive(new Stage(subject, subject.ugly)));
});

test('no scenario of processes is without its tests', () => {
  expect([...tried].sort()).toEqual([...processScenarios].sort());
});
