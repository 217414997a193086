import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { diffLines } from 'diff';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { arm, disarm } from '../engine/base/files/support/faults.js';
import { addFiles, packageJson, writeFolder } from '../support/packages.js';
import {
  all,
  contentOf,
  expectAllSurvive,
  expectDone,
  expectFileWriteFails,
  expectFirstWriteFails,
  expectOriginal,
  expectRefused,
  ProcessStage,
  type Scenario,
  Stage,
  type Subject,
  scenarios,
  subjectOf,
  uglyJsonc,
  writeImagesPreload,
} from '../support/torture.js';

const tried = new Set<Scenario>();

/** The tests of one row of `docs/config-editing.md`; they get what the row says of us. */
function scenario(name: Scenario, tests: (ours: string) => void): void {
  tried.add(name);
  describe.skipIf(process.platform === 'win32')(name, () => tests(scenarios[name]));
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
    const umask = process.umask(0o022);
    try {
      expectDone(await stage.install(['--env', 'API_KEY=s3cret']));
    } finally {
      process.umask(umask);
    }
    expect(stage.text).toContain('s3cret');
    expect((statSync(stage.file).mode & 0o7777).toString(8).padStart(4, '0')).toBe(ours);
  });
});

scenario('Atomic', () => {
  const subject = subjectOf('vscode');

  let preload: string;

  beforeAll(async () => {
    preload = await writeImagesPreload();
  });

  /** Runs a command in a process that copies its home at every moment at which the files on the disk can differ. */
  async function imagesOf(command: 'install' | 'uninstall', stage: ProcessStage): Promise<readonly string[]> {
    const images = writeFolder();
    const env = { NODE_OPTIONS: `--import ${preload}`, IMAGES: images };
    expectDone(await stage[command]([], { env }));
    return readdirSync(images).map((name) => path.join(images, name));
  }

  test.each([
    ['install', 'install'],
    ['install', 'uninstall'],
    ['uninstall', 'uninstall'],
  ] as const)('%s dies at any step; then %s', async (command, next) => {
    const stage = new ProcessStage(subject, subject.ugly);
    const again = new Stage(subject, undefined, stage.home);
    if (command === 'uninstall') expectDone(await again.install());
    const before = stage.text;
    const images = await imagesOf(command, stage);
    const installed = command === 'install' ? stage.text : before;
    expect(images.length).toBeGreaterThan(10);
    const seen = new Set<string>();
    for (const image of images) {
      rmSync(stage.home, { recursive: true });
      renameSync(image, stage.home);
      expect([subject.ugly, installed], image).toContain(stage.text);
      seen.add(stage.text!);
      if (next === 'install') {
        expectDone(await again.install());
        expect(stage.text, image).toBe(installed);
      }
      expectDone(await again.uninstall());
      expect(stage.text, image).toBe(subject.ugly);
      // A command that finds nothing to do sweeps no folder.
      if (command === next) expectOriginal(stage, image);
    }
    expect(seen.size).toBe(2);
  });
});

scenario('Write fails half way', () => {
  test('at what is written first', async () => await expectFirstWriteFails(subjectOf('continue')));

  test('at the file itself', async () => await expectFileWriteFails(subjectOf('codex')));

  test.each(['install', 'uninstall'] as const)('%s, with an error of the disk at a step', async (command) => {
    onTestFinished(() => void disarm());
    const subject = subjectOf('goose');
    // The first install of a process reads more than the others.
    expectDone(await new Stage(subject, subject.ugly).install());
    const measured = new Stage(subject, subject.ugly);
    await arm();
    expectDone(await measured.install());
    let steps = disarm();
    const installed = measured.text!;
    if (command === 'uninstall') {
      await arm();
      expectDone(await measured.uninstall());
      steps = disarm();
    }
    const [before, after] = command === 'install' ? [subject.ugly, installed] : [installed, subject.ugly];
    // Before its lock, a command only reads. A lock that cannot be removed stays as long as this process lives.
    const lock = steps.indexOf('mkdir');
    const writing = steps
      .map((name, index) => ({ step: index + 1, name }))
      .slice(lock)
      .filter(({ name }) => /^(rename|writeFile)$/.test(name));
    expect(writing.length).toBeGreaterThan(5);
    for (const { step, name } of writing) {
      const stage = new Stage(subject, subject.ugly);
      if (command === 'uninstall') expectDone(await stage.install());
      await arm({ step, kind: 'fail' });
      const { code, stderr } = await stage[command]();
      expect(disarm()[step - 1]).toBe(name);
      const story = `${step} ${name}: ${stderr}`;
      const isDone = code === 0 || stderr.includes(`${stage.file} was changed as asked`);
      expect(code, story).toBeOneOf([0, 1]);
      expect(stage.text, story).toBe(isDone ? after : before);
      expect(/^(Installed|Removed)/m.test(stderr), story).toBe(code === 0);
      expectDone(await stage.install());
      expectDone(await stage.uninstall());
      expect(stage.text, story).toBe(subject.ugly);
    }
  });
});

scenario('8 parallel installs survived', () => {
  test('continue', async () => {
    const subject = subjectOf('continue');
    // An install guards its whole process, so each has one.
    const installing = new ProcessStage(subject, subject.ugly);
    await expectAllSurvive(installing, new Stage(subject, undefined, installing.home));
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
    expect(subject.client.launchOf(stage.entries.weather!)?.command).toBe(stage.node);
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
      expectRefused(await stage.install(['--name', name]), /cannot be the key.*for example --name [a-z-]+\n/);
      expect(stage.text).toBe(subject.ugly);
    }
    const run = await stage.install(['--name', 'a.b']);
    // Goose takes lower-case letters, digits, "-" and "_".
    if (subject.client.id === 'goose') return expectRefused(run, /for example --name a-b\n/);
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
  const folder = path.join(writeFolder(), `it's "a" $HOME \`x\` # né, {}: [1]`);

  beforeAll(() =>
    addFiles(folder, {
      'package.json': packageJson({ servers: ['weather'], tools: ['forecast'] }),
      'agenttools/servers/weather.json': { tools: '*' },
      'agenttools/tools/forecast.json': { description: 'Forecast.', handler: './forecast.js' },
      'forecast.js': 'export default () => "rain";',
    }),
  );

  test.each(all)('%s', async (_, subject) => {
    const stage = new Stage(subject, subject.ugly);
    expectDone(await stage.run(['install', subject.client.id, folder, '--no-verify']));
    expect(subject.client.launchOf(stage.entries.weather!)).toEqual({
      command: stage.node,
      args: [path.join(path.dirname(stage.node), 'agenttools.js'), 'start', path.join(folder, 'weather')],
      env: { MCP_SERVER_NAME: '@acme/kit/weather' },
    });
    expectDone(await stage.uninstall());
    expect(stage.text).toBe(subject.ugly);
  });

  test('is verified, and starts by the written entry', async () => {
    const subject = subjectOf('codex');
    const stage = new ProcessStage(subject, subject.ugly);
    expectDone(await stage.run(['install', subject.client.id, folder]));
    const { command, args, env } = subject.client.launchOf(stage.entries.weather!)!;
    const transport = new StdioClientTransport({ command, args: [...args], env, stderr: 'pipe' });
    const session = new Client({ name: subject.client.id, version: '1' });
    await session.connect(transport);
    const { tools } = await session.listTools();
    await session.close();
    expect(tools.map(({ name }) => name)).toContain('forecast');
  });
});

test('no scenario is without its tests', () => {
  expect([...tried].sort()).toEqual(Object.keys(scenarios).sort());
});
