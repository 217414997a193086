import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { diffLines } from 'diff';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../engine/files/support/faults.js';
import { writeFolder } from '../support/packages.js';
import { fixture } from '../support/program.js';
import {
  contentOf,
  type Run,
  type RunOptions,
  type Scenario,
  Stage,
  type Subject,
  scenarios,
  subjects,
  uglyJsonc,
} from '../support/torture.js';

const tried = new Set<Scenario>();

/** The tests of one row of `docs/config-editing.md`; they get what the row says of us. */
function scenario(name: Scenario, tests: (ours: string) => void): void {
  tried.add(name);
  describe.skipIf(process.platform === 'win32').concurrent(name, () => tests(scenarios[name]));
}

type Table = readonly (readonly [string, Subject])[];

const all: Table = subjects.map((subject) => [subject.client.id, subject]);
const only = (...ids: readonly string[]): Table => all.filter(([id]) => ids.includes(id));
const subjectOf = (id: string) => only(id)[0]![1];

function expectDone({ code, stdout, stderr }: Run): void {
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
}

function expectRefused({ code, stdout, stderr }: Run, why: RegExp | string): void {
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(why);
  expect(stderr).not.toMatch(/Installed|Updated|Removed/);
}

/** Lines of a text that another has not, or not as they were. */
function linesLost(before: string, after: string): number {
  const lost = diffLines(before, after).filter(({ removed }) => removed);
  return lost.reduce((sum, { count }) => sum + count, 0);
}

/** What a look at the disk tells of a file. */
function stateOf(file: string): object {
  const { ino, mtimeMs, ctimeMs, mode, size } = statSync(file);
  return { ino, mtimeMs, ctimeMs, mode, size, text: readFileSync(file, 'utf8') };
}

scenario('Comments kept, JSONC', (ours) => {
  test('Visual Studio Code', async () => {
    const subject = subjectOf('vscode');
    const stage = new Stage(subject, subject.ugly);
    expectDone(await stage.install());
    const kept = subject.comments.filter((comment) => stage.text!.includes(comment));
    expect(`${kept.length}/${subject.comments.length}`).toBe(ours);
  });

  test('Cursor, which reads no comments: refused, and kept with --force', async () => {
    const text = uglyJsonc('mcpServers');
    const stage = new Stage(subjectOf('cursor'), text);
    expectRefused(await stage.install(), `${stage.file}:1:1: `);
    expect(stage.text).toBe(text);
    expectDone(await stage.install(['--force']));
    expect(linesLost(text, stage.text!)).toBe(0);
    expect(Object.keys(stage.entries)).toEqual(['files', 'web', 'weather']);
    expectDone(await stage.uninstall());
    expect(stage.text).toBe(text);
  });
});

scenario('Comments kept, TOML · YAML', (ours) => {
  test('Codex, Goose and Continue', async () => {
    const kept: string[] = [];
    for (const id of ['codex', 'goose', 'continue']) {
      const subject = subjectOf(id);
      const stage = new Stage(subject, subject.ugly);
      expectDone(await stage.install());
      const found = subject.comments.filter((comment) => stage.text!.includes(comment));
      kept.push(`${found.length}/${subject.comments.length}`);
    }
    expect(`${kept[0]} · ${kept[1]}`).toBe(ours);
    expect(kept[2]).toBe(kept[1]);
  });
});

scenario('Other entries kept', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    expectDone(await stage.install());
    const before = contentOf(subject, subject.ugly);
    const { entries, others } = contentOf(subject, stage.text!);
    const { weather, ...rest } = entries;
    expect(weather).toBeDefined();
    expect(Object.keys(rest).length).toBeGreaterThan(0);
    expect({ others, entries: rest }).toEqual(before);
  });
});

scenario('Lines deleted elsewhere, ugly', (ours) => {
  test('in each syntax with comments', async () => {
    const lost = async (id: string) => {
      const subject = subjectOf(id);
      const stage = new Stage(subject, subject.ugly);
      expectDone(await stage.install());
      return `${linesLost(subject.ugly, stage.text!)} of ${subject.ugly.trimEnd().split('\n').length}`;
    };
    const [jsonc, toml, map, list] = await Promise.all(['vscode', 'codex', 'goose', 'continue'].map(lost));
    expect(`${jsonc} (JSONC), ${toml} (TOML), ${map} (YAML)`).toBe(ours);
    expect(list).toMatch(/^0 /);
  });
});

scenario('Lines touched besides the insertion, plain JSON', (ours) => {
  test.each(all)('%s: one insertion, and nothing else', async (_, subject) => {
    const { plain } = subject;
    const stage = new Stage(subject, plain);
    expectDone(await stage.install());
    const after = stage.text!;
    const start = [...plain].findIndex((character, index) => character !== after[index]);
    const rest = plain.slice(start === -1 ? plain.length : start);
    expect(after.endsWith(rest)).toBe(true);
    expect(String(linesLost(plain, after))).toBe(ours);
  });
});

scenario('Text of a big integer, of `1.0`', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    expectDone(await stage.install());
    expect(subject.spellings.filter((spelling) => !stage.text!.includes(spelling))).toEqual([]);
  });
});

scenario('Corrupt file', () => {
  test.each(all)('%s', async (_, subject) => {
    const { text, place } = subject.corrupt;
    const stage = new Stage(subject, text);
    const before = stateOf(stage.file);
    for (const words of [[], ['--force']]) {
      expectRefused(await stage.install(words), `${stage.file}:${place}: `);
      expect(stateOf(stage.file)).toEqual(before);
    }
  });
});

scenario('File 0444', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    chmodSync(stage.file, 0o444);
    const before = stateOf(stage.file);
    expectRefused(await stage.install(), /read-only \(mode 0444\)/);
    expect(stateOf(stage.file)).toEqual(before);
  });
});

scenario('Folder 0555', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    const folder = path.dirname(stage.file);
    const before = stateOf(stage.file);
    chmodSync(folder, 0o555);
    try {
      expectRefused(await stage.install(), /folder .* is not writable/);
      expect(stateOf(stage.file)).toEqual(before);
      expect(readdirSync(folder)).toEqual([path.basename(stage.file)]);
    } finally {
      chmodSync(folder, 0o755);
    }
  });
});

/** Makes the config file a link to one in a folder of dotfiles; gives that. */
function linked(stage: Stage, text: string | undefined): string {
  const target = path.join(stage.home, 'dotfiles', path.basename(stage.file));
  mkdirSync(path.dirname(target));
  if (text !== undefined) {
    unlinkSync(stage.file);
    writeFileSync(target, text);
  }
  symlinkSync(path.relative(path.dirname(stage.file), target), stage.file);
  return target;
}

scenario('Symlinked file', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    const target = linked(stage, subject.ugly);
    const link = readlinkSync(stage.file);
    expectDone(await stage.install());
    expect(readlinkSync(stage.file)).toBe(link);
    expect(contentOf(subject, readFileSync(target, 'utf8')).entries).toHaveProperty('weather');
    expectDone(await stage.uninstall());
    expect(readlinkSync(stage.file)).toBe(link);
    expect(readFileSync(target, 'utf8')).toBe(subject.ugly);
  });
});

scenario('Dangling symlink', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject);
    const target = linked(stage, undefined);
    const link = readlinkSync(stage.file);
    expectDone(await stage.install());
    expect(readlinkSync(stage.file)).toBe(link);
    expect(lstatSync(target).isFile()).toBe(true);
    expect(stage.entries).toHaveProperty('weather');
    expectDone(await stage.uninstall());
    expect(readlinkSync(stage.file)).toBe(link);
    expect(readdirSync(path.dirname(target))).toEqual([]);
  });
});

scenario('Mode 0600 kept', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    chmodSync(stage.file, 0o600);
    for (const command of [() => stage.install(), () => stage.uninstall()]) {
      expectDone(await command());
      expect(statSync(stage.file).mode & 0o7777).toBe(0o600);
    }
  });
});

scenario('Mode of a new file with a secret', (ours) => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject);
    const wrapper = ['sh', '-c', 'umask 022; exec "$@"', 'sh'];
    expectDone(await stage.install(['--env', 'API_KEY=s3cret'], { wrapper }));
    expect(stage.text).toContain('s3cret');
    expect((statSync(stage.file).mode & 0o7777).toString(8).padStart(4, '0')).toBe(ours);
  });
});

/** A module before the program that kills it at one step to the disk, or else writes its steps into a file. */
let faults: string;
const stepsFile = 'steps.json';

beforeAll(async () => {
  const source = path.resolve(import.meta.dirname, '../engine/files/support/faults.ts');
  const folder = writeFolder({
    'faults.ts': `
      import { writeFileSync } from 'node:fs';
      import { arm, disarm } from ${JSON.stringify(source)};
      const { TEST_FAULT } = process.env;
      await arm(TEST_FAULT ? JSON.parse(TEST_FAULT) : undefined);
      if (!TEST_FAULT) process.on('exit', () => writeFileSync('${stepsFile}', JSON.stringify(disarm())));
    `,
  });
  faults = path.join(folder, 'faults.mjs');
  const bundle = { bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' } as const;
  await build({ ...bundle, entryPoints: [path.join(folder, 'faults.ts')], outfile: faults });
});

function withFault(fault?: Fault): RunOptions {
  const env = { NODE_OPTIONS: `--import ${faults}`, ...(fault && { TEST_FAULT: JSON.stringify(fault) }) };
  return { env };
}

/** The steps of a command from its lock on; before that, files are only read. */
async function stepsOf(
  stage: Stage,
  run: (options: RunOptions) => Promise<Run>,
): Promise<readonly { readonly step: number; readonly name: string }[]> {
  expectDone(await run(withFault()));
  const names: string[] = JSON.parse(readFileSync(path.join(stage.home, stepsFile), 'utf8'));
  return names.map((name, index) => ({ step: index + 1, name })).slice(names.indexOf('mkdir'));
}

/** Every moment at which a command can die that leaves other files, or other text, behind. */
async function deathsOf(stage: Stage, run: (options: RunOptions) => Promise<Run>): Promise<Fault[]> {
  const steps = await stepsOf(stage, run);
  return steps.flatMap(({ step, name }): Fault[] => {
    if (!/^(link|rename|rm|rmdir|unlink|writeFile)$/.test(name)) return [];
    const death: Fault = { step, kind: 'die' };
    return name === 'writeFile' ? [death, { step, kind: 'die-halfway' }] : [death];
  });
}

/** The text as it was, and nothing beside it. */
function expectOriginal({ file, text, subject }: Stage, story: string): void {
  expect(text, story).toBe(subject.ugly);
  expect(readdirSync(path.dirname(file)), story).toEqual([path.basename(file)]);
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

async function inLanes<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
  const waiting = [...things];
  const lane = async () => {
    for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) await work(thing);
  };
  await Promise.all([lane(), lane(), lane()]);
}

/** A text of a client that is this many bytes long. */
function padded({ client, plain }: Subject, bytes: number): string {
  const [before, after] = {
    json: ['{ "pad": "', '",'],
    jsonc: ['{ "pad": "', '",'],
    toml: ['pad = "', '"\n'],
    yaml: ['pad: ', '\n'],
  }[client.format] as [string, string];
  const rest = after + (plain.startsWith('{') ? plain.slice(1) : plain);
  return before + '.'.repeat(bytes - before.length - rest.length) + rest;
}

scenario('Write fails half way', () => {
  /** Runs a command that may write no file larger than this. */
  const limited = (kilobytes: number) => ['bash', '-c', `ulimit -f ${kilobytes}; exec "$@"`, 'bash'];

  test.each(all)('%s, at what is written first', async (_, subject) => {
    const text = padded(subject, 3000);
    const stage = new Stage(subject, text);
    expectRefused(await stage.install([], { wrapper: limited(1) }), /EFBIG/);
    expect(stage.text).toBe(text);
    expect(readdirSync(path.dirname(stage.file))).toEqual([path.basename(stage.file)]);
  });

  test.each(all)('%s, at the file itself', async (_, subject) => {
    const text = padded(subject, 20 * 1024 - 50);
    const stage = new Stage(subject, text);
    expectRefused(await stage.install([], { wrapper: limited(20) }), `${stage.file} could not be written`);
    expect(stage.text).toBe(text);
    expect(readdirSync(path.dirname(stage.file))).toEqual([path.basename(stage.file)]);
  });

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

  test.each(mayMount ? only('codex') : [])('%s, on a disk that is full', async (_, subject) => {
    const stage = new Stage(subject);
    const folder = path.dirname(stage.file);
    const original = path.join(writeFolder({ original: padded(subject, 3000) }), 'original');
    const script = `mount -t tmpfs -o size=4k none '${folder}' && cp '${original}' '${stage.file}'
      "$@"; echo "exit $?, $(ls -A '${folder}')" && cmp '${original}' '${stage.file}' && echo unchanged`;
    const { stdout, stderr } = await stage.install([], { wrapper: [...mounting, script, 'sh'] });
    expect(stdout).toBe('exit 1, config.toml\nunchanged\n');
    expect(stderr).toContain(`${stage.file} could not be written (ENOSPC) and is as it was`);
    expect(stderr).not.toContain('Installed');
  });
});

scenario('8 parallel installs survived', () => {
  const names = Array.from({ length: 8 }, (_, index) => `server-${index + 1}`);

  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    const before = contentOf(subject, subject.ugly);
    const runs = await Promise.all(names.map((name) => stage.install(['--name', name])));
    runs.forEach(expectDone);
    const { others, entries } = contentOf(subject, stage.text!);
    expect(others).toEqual(before.others);
    expect(entries).toMatchObject(before.entries);
    expect(Object.keys(entries).sort()).toEqual([...Object.keys(before.entries), ...names].sort());

    const ends = await Promise.all(names.map((name) => stage.uninstall(['--name', name])));
    ends.forEach(expectDone);
    expect(stage.text).toBe(subject.ugly);
  });
});

scenario('BOM + CRLF', () => {
  test.each(all)('%s', async (_, subject) => {
    const text = `\uFEFF${subject.ugly.replaceAll('\n', '\r\n')}`;
    const stage = new Stage(subject, text);
    expectDone(await stage.install());
    expect(stage.text!.startsWith('\uFEFF')).toBe(true);
    expect(stage.text).not.toMatch(/(?<!\r)\n/);
    expect(stage.entries).toHaveProperty('weather');
    expectDone(await stage.uninstall());
    expect(stage.text).toBe(text);
  });
});

scenario('Empty file', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, '');
    expectDone(await stage.install());
    expect(Object.keys(stage.entries)).toEqual(['weather']);
    expectDone(await stage.uninstall());
    expect(stage.text).toBe('');
  });
});

scenario('`"mcpServers": []`', () => {
  test.each(all)('%s', async (_, subject) => {
    const { text, place } = subject.wrongType;
    const stage = new Stage(subject, text);
    for (const words of [[], ['--force']]) {
      expectRefused(await stage.install(words), `${stage.file}:${place}: `);
      expect(stage.text).toBe(text);
    }
  });
});

scenario('Same name, other content', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.taken);
    expectRefused(await stage.install(), /AgentTools did not write.*--name.*--force/);
    expect(stage.text).toBe(subject.taken);
    expectDone(await stage.install(['--force']));
    expect(subject.client.launchOf(stage.entries.weather!)?.command).toBe(process.execPath);
    expectDone(await stage.uninstall());
    expect(stage.text).toBe(subject.taken);
  });
});

scenario('Names `__proto__`, `constructor`', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    for (const name of ['__proto__', 'constructor']) {
      expectRefused(await stage.install(['--name', name]), `"${name}" cannot be the key`);
    }
    expect(stage.text).toBe(subject.ugly);
  });
});

scenario('Names `a.b`, `we"ird né`, `../x`', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    for (const name of ['we"ird né', '../x']) {
      expectRefused(await stage.install(['--name', name]), /cannot be the key.*would do: --name [a-z-]+\n/);
      expect(stage.text).toBe(subject.ugly);
    }
    const run = await stage.install(['--name', 'a.b']);
    // Goose takes lower-case letters, digits, "-" and "_".
    if (subject.client.id === 'goose') return expectRefused(run, /would do: --name a-b\n/);
    expectDone(run);
    expect(stage.entries['a.b']).toBeDefined();
    expectDone(await stage.uninstall());
    expect(stage.text).toBe(subject.ugly);
  });
});

scenario('Second identical install', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    expectDone(await stage.install());
    const before = stateOf(stage.file);
    const run = await stage.install();
    expectDone(run);
    expect(run.stderr).toContain('Nothing to change');
    expect(stateOf(stage.file)).toEqual(before);
  });
});

scenario('Uninstall gives the original bytes', () => {
  const originals: readonly (readonly [string, (subject: Subject) => string | undefined])[] = [
    ['an ugly file', ({ ugly }) => ugly],
    ['a plain one', ({ plain }) => plain],
    ['one without a line end', ({ ugly }) => ugly.trimEnd()],
    ['one with tabs', ({ ugly, client }) => (client.format === 'yaml' ? ugly : ugly.replace(/^ +/gm, '\t'))],
    ['none', () => undefined],
  ];

  describe.each(originals)('%s', (__, original) => {
    test.each(all)('%s', async (_, subject) => {
      const text = original(subject);
      const stage = new Stage(subject, text);
      expectDone(await stage.install(['--env', 'A=1']));
      expectDone(await stage.install(['--env', 'B=2']));
      expectDone(await stage.uninstall());
      expect(stage.text).toBe(text ?? null);
    });
  });
});

scenario('Uninstall of a missing entry', () => {
  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    const before = stateOf(stage.file);
    const run = await stage.uninstall(['weather']);
    expectDone(run);
    expect(run.stderr).toMatch(/[Nn]othing/);
    expect(run.stderr.trim().split('\n')).toHaveLength(1);
    expect(stateOf(stage.file)).toEqual(before);
  });
});

scenario('Path with spaces and quotes', () => {
  test.each(all)('%s', async (_, subject) => {
    const folder = path.join(writeFolder(), `it's "a" $HOME \`x\` # né, {}: [1]`);
    cpSync(fixture('weather'), folder, { recursive: true });
    const stage = new Stage(subject, subject.ugly);
    expectDone(await stage.run(['install', subject.client.id, folder]));
    const { command, args, env } = subject.client.launchOf(stage.entries.weather!)!;
    expect(args).toContain(path.join(folder, 'weather'));
    const transport = new StdioClientTransport({ command, args: [...args], env, stderr: 'pipe' });
    const session = new Client({ name: subject.client.id, version: '1' });
    await session.connect(transport);
    const { tools } = await session.listTools();
    await session.close();
    expect(tools.map(({ name }) => name)).toContain('forecast');
    expectDone(await stage.uninstall());
    expect(stage.text).toBe(subject.ugly);
  });
});

test('no scenario is without its tests', () => {
  expect([...tried].sort()).toEqual(Object.keys(scenarios).sort());
});
