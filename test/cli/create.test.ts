import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.js';
import { blocks } from '../docs/support/pages.js';
import { fakeHost, runCli, temporaryFolder } from '../support/run-cli.js';

/** Runs `create x` at a terminal, where the user presses keys at each question. */
async function createAtTerminal(keys: Readonly<Record<string, readonly (string | null)[]>>) {
  const cwd = await temporaryFolder();
  const { host, stderr } = fakeHost({ cwd, home: await temporaryFolder(), env: {} });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const done = main(['create', 'x'], { ...host, stdin });
  for (const [question, pressed] of Object.entries(keys)) {
    await expect.poll(() => stderr.text).toContain(question);
    // Null: the input ends.
    for (const key of pressed) key === null ? stdin.end() : stdin.write(key);
  }
  return { code: await done, stderr: stderr.text, cwd };
}

describe('create', () => {
  it('writes an extension and prints the next steps', async () => {
    const { code, stdout, stderr, cwd } = await runCli(['create', 'my-plugin']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Created my-plugin in my-plugin:');
    expect(stdout).toContain('  cd my-plugin\n  npx agenttools validate\n');
    expect(stdout).toMatch(
      /\n {2}npm install --global agenttools\n {2}agenttools install claude-desktop \.\n$/,
    );
    expect(stdout).not.toContain('agenttools start');
    const manifest = JSON.parse(await readFile(path.join(cwd, 'my-plugin', 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      name: 'my-plugin',
      version: '0.1.0',
      keywords: ['agenttools-extension'],
    });
  });

  it('writes something that can be called at once', async () => {
    const { cwd } = await runCli(['create', 'my-plugin']);
    const { code, stdout, stderr } = await runCli(['call', './my-plugin', 'greet', '{"name":"Ada"}'], {
      cwd,
    });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Hello, Ada!\n', stderr: '' });
  });

  it('writes no import and no dependency without --ts', async () => {
    const { cwd } = await runCli(['create', 'my-plugin']);
    const manifest = JSON.parse(await readFile(path.join(cwd, 'my-plugin', 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(await readFile(path.join(cwd, 'my-plugin/src/greet.js'), 'utf8')).not.toContain('import');
  });

  it('writes TypeScript sources with --ts', async () => {
    const { code, stdout, cwd } = await runCli(['create', 'my-plugin', '--ts']);
    expect(code).toBe(0);
    expect(stdout).toContain('  npm install\n  npm run build\n');
    expect((await readdir(path.join(cwd, 'my-plugin'))).sort()).toEqual([
      '.gitignore',
      'README.md',
      'agenttools',
      'package.json',
      'src',
      'tsconfig.json',
    ]);
    const source = await readFile(path.join(cwd, 'my-plugin/src/agenttools/tools/greet.ts'), 'utf8');
    expect(source).toContain('export default defineTool({');
    const manifest = JSON.parse(await readFile(path.join(cwd, 'my-plugin', 'package.json'), 'utf8'));
    expect(manifest.scripts).toMatchObject({
      build: 'tsc',
      pretest: 'npm run build',
      prepack: 'npm run build',
    });
    expect(Object.keys(manifest.devDependencies)).toEqual(['@types/node', 'agenttools', 'typescript']);
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest.peerDependenciesMeta).toEqual({ agenttools: { optional: true } });
    const unbuilt = await runCli(['validate', 'my-plugin', '--no-load'], { cwd });
    expect(unbuilt.stdout).toContain(
      'Its source src/agenttools/tools/greet.ts is not compiled: npm run build',
    );
    // The newest that `derive` can ask.
    expect(manifest.devDependencies.typescript).toBe('>=5.8 <7');
  });

  it.each([[[]], [['--ts']]])('writes an app with --app and prints how to preview it: %o', async (more) => {
    const { code, stdout, cwd } = await runCli(['create', 'my-plugin', '--app', ...more]);
    expect(code).toBe(0);
    expect(stdout).toContain('\n  npx agenttools preview .\n');
    const read = async (file: string) => await readFile(path.join(cwd, 'my-plugin', file), 'utf8');
    expect(JSON.parse(await read('package.json')).agenttools.apps).toEqual([
      ['greeting', 'Shows the greeting'],
    ]);
    const tool = more.length > 0 ? 'src/agenttools/tools/greet.ts' : 'agenttools/tools/greet.json';
    expect(await read(tool)).toMatch(/\bui"?: ['"]greeting['"]/);
    expect(await read('agenttools/apps/greeting.html')).toContain('connectApp');
    expect(await read('README.md')).toContain('| `greeting` | app |');
  });

  it('prints what was written as JSON', async () => {
    const { stdout, cwd } = await runCli(['create', 'my-plugin', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      directory: path.join(cwd, 'my-plugin'),
      name: 'my-plugin',
      files: [
        'package.json',
        'agenttools/tools/greet.json',
        'src/greet.js',
        'agenttools/tools/greet.case.json',
        'agenttools/prompts/introduce.json',
        'agenttools/prompts/introduce.case.json',
        'README.md',
        '.gitignore',
      ],
    });
  });

  it.each([
    ['My Plugin', 'my-plugin'],
    ['Wetter für Köln', 'wetter-fur-koln'],
    ['_hidden', 'hidden'],
    ['a.b', 'a.b'],
  ])('makes a legal name of the folder "%s"', async (folder, name) => {
    const { stdout } = await runCli(['create', folder, '--json']);
    expect(JSON.parse(stdout).name).toBe(name);
  });

  it.each([
    ['in the folder above', { 'tsconfig.json': '{}' }, true],
    ['outside of the git repository', { 'tsconfig.json': '{}', 'inner/.git/HEAD': '' }, false],
    ['nowhere', {}, false],
  ])('writes TypeScript if a tsconfig.json is %s', async (_, files, isTypeScript) => {
    const { stdout } = await runCli(['create', 'inner/x', '--json'], { files });
    expect(JSON.parse(stdout).files.includes('tsconfig.json')).toBe(isTypeScript);
    const plain = await runCli(['create', 'inner/y', '--js', '--json'], { files });
    expect(JSON.parse(plain.stdout).files).not.toContain('tsconfig.json');
  });

  it.each([
    ['zod', 'agenttools/tools/roll_dice.js', 'npm install'],
    ['toolkit', 'agenttools/tools/text.js', 'npx agenttools call . count_words'],
    ['prompts', 'agenttools/prompts/review.json', 'npx agenttools validate'],
    ['http', 'Dockerfile', 'npm start   # serves on http://127.0.0.1:3000/mcp'],
    ['app', 'agenttools/apps/greeting.case.json', 'npx agenttools preview .'],
  ])('writes the template %s', async (template, file, step) => {
    const { stdout } = await runCli(['create', 'x', '--template', template]);
    expect(stdout).toContain(`\n  ${file}\n`);
    expect(stdout).toContain(`\n  ${step}`);
  });

  it('starts over HTTP with the template http', async () => {
    const { cwd } = await runCli(['create', 'x', '--template', 'http']);
    const { scripts } = JSON.parse(await readFile(path.join(cwd, 'x/package.json'), 'utf8'));
    expect(scripts.start).toBe('npx agenttools start . --http');
    const dockerfile = await readFile(path.join(cwd, 'x/Dockerfile'), 'utf8');
    expect(blocks.find(({ words }) => words.deploy === 'Dockerfile')?.text).toBe(dockerfile);
    expect(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)![1]!).at(-1)).toMatch(
      /--allowed-host "\$ALLOWED_HOST"$/,
    );
  });

  it('asks for template and language at a terminal, and writes nothing at Ctrl+C', async () => {
    const down = '\u001b[B';
    const chosen = await createAtTerminal({
      'Kind of extension': [down, down, down, '\r'],
      Language: [down, '\r'],
    });
    expect(chosen.code).toBe(0);
    expect(await readdir(path.join(chosen.cwd, 'x/src/agenttools/tools'))).toEqual(['text.ts']);

    const stopped = await createAtTerminal({ 'Kind of extension': ['\u0003'] });
    expect(stopped.code).not.toBe(0);
    expect(stopped.stderr).toContain('Nothing was written');
    expect(await readdir(stopped.cwd)).toEqual([]);

    const ended = await createAtTerminal({ 'Kind of extension': [null] });
    expect(ended.code).not.toBe(0);
    expect(await readdir(ended.cwd)).toEqual([]);
  });

  it('takes the name it is given', async () => {
    const { stdout } = await runCli(['create', 'x', '--name', '@acme/weather', '--json']);
    expect(JSON.parse(stdout).name).toBe('@acme/weather');
  });

  it('fills the current folder when it is empty, or a fresh git repository', async () => {
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, '.git'));
    const { code } = await runCli(['create', '.', '--name', 'here'], { cwd });
    expect(code).toBe(0);
  });

  describe('refuses', () => {
    it.each([
      ['--name', 'Bad Name', 'Did you mean "bad-name"?'],
      ['--name', '@Foo/x', 'Did you mean "@foo/x"?'],
      ['--name', 'http', 'a module of Node has that name'],
      ['--name', 'node_modules', 'npm reserves it'],
      ['--name', '@acme/', 'expected lower-case letters'],
      ['--name', 'a'.repeat(215), 'longer than 214'],
      ['--name', '', 'expected lower-case letters'],
    ])('%s "%s"', async (option, name, message) => {
      const { code, stdout, stderr, cwd } = await runCli(['create', 'x', option, name]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(message);
      expect(await readdir(cwd)).toEqual([]);
    });

    it('a folder without a usable name', async () => {
      const { code, stderr } = await runCli(['create', '日本']);
      expect(code).toBe(2);
      expect(stderr).toContain('Give one with --name.');
    });

    it('a folder that is not empty, naming what is in the way', async () => {
      const files = { 'x/a.txt': 'a', 'x/package.json': '{}' };
      const { code, stdout, stderr, cwd } = await runCli(['create', 'x'], { files });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('In the way: a.txt, package.json.');
      expect(await readFile(path.join(cwd, 'x/package.json'), 'utf8')).toBe('{}');
    });

    it('a file', async () => {
      const { code, stderr } = await runCli(['create', 'x'], { files: { x: 'a' } });
      expect(code).toBe(1);
      expect(stderr).toContain('is a file');
    });

    it.runIf(process.platform === 'linux')('a place in a file system without new folders', async () => {
      const { code, stderr } = await runCli(['create', '/proc/agenttools/x', '--js']);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: .* cannot be written: ENOENT/);
    });

    it('a place that cannot be written to', async () => {
      const { code, stderr } = await runCli(['create', 'x/y'], { files: { x: 'a file' } });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: .* cannot be written: ENOTDIR/);
    });

    it('an unknown template, naming those that exist, and both languages', async () => {
      const unknown = await runCli(['create', 'x', '--template', 'rust']);
      expect(unknown.code).toBe(2);
      expect(unknown.stderr).toContain('tool, zod, app, toolkit, prompts, http');
      expect((await runCli(['create', 'x', '--ts', '--js'])).code).toBe(2);
    });

    it('to run without a folder, or with two', async () => {
      expect((await runCli(['create'])).code).toBe(2);
      expect((await runCli(['create', 'a', 'b'])).code).toBe(2);
    });
  });
});
