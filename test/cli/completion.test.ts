import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/run-cli.js';

const kit = {
  'package.json': {
    name: '@acme/kit',
    version: '1.0.0',
    agenttools: { servers: ['one', 'code'], tools: ['greet', 'count'] },
  },
  'agenttools/servers/one.json': { tools: ['greet'] },
  'agenttools/servers/code.mjs': 'throw new Error("Completion runs no code.");\n',
};

/** Candidates for a command line, without descriptions. */
async function complete(words: readonly string[], word = '', files: Record<string, unknown> = kit) {
  const { code, stdout, stderr } = await runCli(['completion', 'suggest', `--word=${word}`, '--', ...words], {
    files,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

describe('completion', () => {
  it.each([
    [[], 'inst', ['install']],
    [['install'], 'curs', ['cursor']],
    [['install'], 'cursor,windsu', ['cursor,windsurf']],
    [['install', 'cursor'], '@acme', ['@acme/kit/code', '@acme/kit/one']],
    [['install', '--all'], '@acme', ['@acme/kit/code', '@acme/kit/one']],
    [['install', 'cursor', '--command'], '', ['node', 'npx']],
    [['install', 'cursor'], '--command=n', ['--command=node', '--command=npx']],
    [['call', '@acme/kit/one'], '', ['greet']],
    [['call', './one'], '', ['greet', 'count']],
    [['secret'], 'se', ['set']],
    [['validate'], '--form', ['--format']],
    [['validate', '--format'], 'sar', ['sarif']],
    [['explain'], 'missing-def', ['missing-definition']],
    [['help'], 'existing', ['existing-servers']],
    [['ls'], '--jso', ['--json']],
    [['completion'], 'f', ['fish']],
    [['install', 'cursor'], './', []],
    [['install', 'cursor', '--', 'node'], '', []],
    [['nothing'], '', expect.arrayContaining(['create', 'install'])],
  ])('completes %j %s', async (words, word, candidates) => {
    expect(await complete(words, word)).toEqual(candidates);
  });

  it('completes the keys of the entries in a client', async () => {
    const home = await temporaryFolder();
    const words = ['--no-verify', '--name'];
    await runCli(['install', 'cursor', ...words, 'one', '--', process.execPath, 'a.js'], { home });
    await runCli(['install', 'codex', ...words, 'two', '--', process.execPath, 'b.js'], { home });
    const { stdout } = await runCli(['completion', 'suggest', '--', 'uninstall', 'cursor'], { home });
    expect(stdout).toMatch(/^one\t.*\n$/);
  });

  it('describes candidates on one line each', async () => {
    const { stdout } = await runCli(['completion', 'suggest', '--word=secr']);
    expect(stdout).toBe('secret\tkeep secrets out of config files\n');
  });

  it('omits names that a shell would read as something else', async () => {
    const files = {
      'package.json': { name: '@acme/kit', agenttools: { tools: ['greet', 'a b', '$(x)\n'] } },
    };
    expect(await complete(['call', '.'], '', files)).toEqual(['greet']);
  });

  it.each(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    const { code, stdout, stderr } = await runCli(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('agenttools completion suggest');
  });

  it('exits 2 for another shell', async () => {
    expect(await runCli(['completion', 'cmd'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('completes in bash', async () => {
    const folder = await temporaryFolder();
    const script = path.join(folder, 'completion.bash');
    await writeFile(script, (await runCli(['completion', 'bash'])).stdout);
    const program = path.join(folder, 'agenttools');
    await writeFile(program, '#!/bin/sh\necho "$@" >&3\nprintf "npm:one\\tOne\\nnpm:two\\tTwo\\n"\n');
    await chmod(program, 0o755);
    const typed = 'agenttools install cursor npm:';
    const test = `. ${script}; COMP_LINE='${typed}'; COMP_POINT=${typed.length}; _agenttools; echo "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)('bash', ['-c', `exec 3>&1; ${test}`], {
      env: { PATH: `${folder}:${process.env.PATH}` },
    });
    expect(stdout).toBe('completion suggest --word=npm: -- install cursor\none two\n');
  });
});
