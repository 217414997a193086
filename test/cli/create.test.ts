import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/run-cli.js';

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
    const manifest = JSON.parse(await readFile(path.join(cwd, 'my-plugin', 'package.json'), 'utf8'));
    expect(manifest.scripts).toMatchObject({ build: 'tsc', prepack: 'npm run build' });
    expect(Object.keys(manifest.devDependencies)).toEqual(['@types/node', 'agenttools', 'typescript']);
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
    expect(JSON.parse(await read('agenttools/tools/greet.json')).ui).toBe('greeting');
    expect(await read('agenttools/apps/greeting.html')).toContain('connectApp');
    expect(await read('README.md')).toContain('| `greeting` | app |');
  });

  it('prints what was written as JSON', async () => {
    const { stdout, cwd } = await runCli(['create', 'my-plugin', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      directory: path.join(cwd, 'my-plugin'),
      name: 'my-plugin',
      files: [
        'agenttools/tools/greet.json',
        'agenttools/prompts/introduce.json',
        'README.md',
        '.gitignore',
        'package.json',
        'src/greet.js',
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

    it('a place that cannot be written to', async () => {
      const { code, stderr } = await runCli(['create', 'x/y'], { files: { x: 'a file' } });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: .* cannot be written: ENOTDIR/);
    });

    it('to run without a folder, or with two', async () => {
      expect((await runCli(['create'])).code).toBe(2);
      expect((await runCli(['create', 'a', 'b'])).code).toBe(2);
    });
  });
});
