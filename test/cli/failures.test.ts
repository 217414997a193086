import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { failureData } from '../../src/cli/shared/failure.js';
import { AgentToolsError } from '../../src/engine/base/errors.js';
import { packageRoot } from '../../src/engine/base/folders.js';
import { runCli } from '../support/run-cli.js';

const toolKit = {
  'package.json': { name: 'kit', version: '1.0.0', agenttools: { tools: ['greet', 'closed'] } },
  'agenttools/tools/greet.json': {
    inputSchema: { type: 'object', properties: { name: { type: 'string' }, count: { type: 'integer' } } },
    handler: './greet.mjs',
  },
  'agenttools/tools/closed.json': {
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
    handler: './greet.mjs',
  },
  'greet.mjs': 'export default () => "Hello!";\n',
};

describe('a failure with --json', () => {
  it.each([
    [['list-servers', '--json', '--foo'], 2, 'usage'],
    [['call', '--json'], 2, 'usage'],
    [['nonsense', '--json'], 2, 'usage'],
    [['show', './nothing', '--json'], 1, 'not-found'],
    [['install', 'nothing', '.', '--json'], 1, 'not-found'],
    [['validate', './nothing', '--format', 'json'], 2, 'usage'],
    [['validate', './nothing', '--format=json'], 2, 'usage'],
    [['remove', 'nothing', '--json'], 1, 'not-installed'],
    [['call', '@acme/none', 'x', '--no-auto-install', '--json'], 1, 'not-installed'],
    [['delete-server', 'nothing', '--json'], 1, 'not-found'],
    [['explain', 'nothing', '--json'], 1, 'not-found'],
    [['add', './nothing', '--json'], 1, 'not-found'],
    [['create', '/dev/null/x', '--json'], 1, 'failed'],
  ])('is one object on stdout: %j', async (argv, code, error) => {
    const run = await runCli(argv);
    expect({ argv, code: run.code, data: JSON.parse(run.stdout) }).toEqual({
      argv,
      code,
      data: { error: expect.objectContaining({ code: error, message: expect.any(String) }) },
    });
    expect(run.stderr).not.toBe('');
  });

  it('has the advice as its hint', () => {
    const error = new AgentToolsError(
      'not-found',
      'There is no a.b c.d "x". Did you mean "y"? Its names: y.',
    );
    expect(failureData(error)).toEqual({
      code: 'not-found',
      message: 'There is no a.b c.d "x".',
      hint: 'Did you mean "y"? Its names: y.',
    });
    expect(failureData(new AgentToolsError('failed', 'Use it.'))).toEqual({
      code: 'failed',
      message: 'Use it.',
    });
    expect(failureData(new TypeError('x'))).toMatchObject({ code: 'internal', message: 'x' });
  });

  it('keeps the words after -- for the server', async () => {
    const { stdout } = await runCli(['call', 'x', '--', './nothing', '--json']);
    expect(stdout).toBe('');
  });

  it('leaves the stdout of start alone', async () => {
    expect((await runCli(['start', '--json'])).stdout).toBe('');
  });

  it('has a documented code', async () => {
    const page = await readFile(path.join(packageRoot(), 'docs/command-line.md'), 'utf8');
    const source = await readFile(path.join(packageRoot(), 'src/engine/base/errors.ts'), 'utf8');
    const codes = [...source.matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(([, code]) => code!);
    expect(codes.length).toBeGreaterThan(5);
    expect([...codes, 'internal'].filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
  });
});

describe('call with an unknown argument', () => {
  it.each([
    [
      'greet',
      'nmae=Ada',
      'Tool "greet" has no argument "nmae". Did you mean "name"? Its arguments: name, count.',
    ],
    ['closed', 'place=Bonn', 'Tool "closed" has no argument "place". Its arguments: name.'],
  ])('refuses it: %s %s', async (tool, pair, message) => {
    const { code, stdout, stderr } = await runCli(['call', '.', tool, pair], { files: toolKit });
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `error: ${message}\n` });
  });

  it('warns if the tool accepts others', async () => {
    const { code, stderr } = await runCli(['call', '.', 'greet', 'name=Ada', 'place=Bonn'], {
      files: toolKit,
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'warning: Tool "greet" declares no argument "place". Its arguments: name, count.\n',
    });
  });
});
