import { describe, expect, it, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createProgram } from '../../src/cli/program.js';
import type { Host } from '../../src/host.js';
import { runCli } from '../support/run-cli.js';

describe('the program', () => {
  it.each([['--version'], ['-V'], ['validate', '--version']])(
    'prints its version: %s %s',
    async (...argv) => {
      expect(await runCli(argv)).toMatchObject({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    },
  );

  it.each([['--help'], ['-h'], ['help'], ['validate', '--help'], ['help', 'call'], ['start', '--help']])(
    'prints help on stdout: %s %s',
    async (...argv) => {
      const { code, stdout, stderr } = await runCli(argv);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('Usage: agenttools');
    },
  );

  it('lists every command in its help', async () => {
    const { stdout } = await runCli(['--help']);
    for (const command of ['create', 'validate', 'explain', 'show', 'call', 'start']) {
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
  });

  it('answers an empty command line with help on stderr', async () => {
    const { code, stdout, stderr } = await runCli([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: agenttools');
  });

  it.each([
    [
      ['valdate'],
      "unknown command 'valdate'\n(Did you mean validate?)\nSee all commands with: agenttools --help",
    ],
    [['xyzzy'], "unknown command 'xyzzy'\nSee all commands with: agenttools --help"],
    [['--frobnicate'], "unknown option '--frobnicate'"],
    [['start', '--strikt'], 'start has no option "--strikt"'],
    [['start', 'a', 'b'], 'start serves one server'],
    [['explain', 'a', 'b'], 'too many arguments'],
  ])('exits 2 for %j', async (argv, message) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(message);
  });

  const { commands } = createProgram({ stdout: {}, stderr: {} } as Host, () => {});
  const lacking = commands
    .flatMap((command) => [command, ...command.commands])
    .filter(({ registeredArguments }) => registeredArguments.some(({ required }) => required))
    .map((command) => [...(command.parent?.parent ? [command.parent.name()] : []), command.name()]);

  it.each(lacking)('shows an example of a complete command line: %s %s', async (...words) => {
    const { code, stderr } = await runCli(words.filter((word) => word !== undefined));
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`missing required argument .*\nFor example: agenttools ${words[0]} `));
  });

  it('suggests a choice', async () => {
    const { stderr } = await runCli(['generate', 'tol', 'x']);
    expect(stderr).toMatch(/^error: 'tol' is invalid for argument 'kind'\. .* Did you mean tool\?$/m);
  });

  it('spells out control characters in its messages', async () => {
    const { stderr } = await runCli(['show', './a\u001b]0;owned\u0007\u009b\rb']);
    expect(stderr).toContain('a\\u001b]0;owned\\u0007\\u009b\\u000db');
    expect(stderr).toMatch(/^[\n\P{Cc}]*$/u);
  });

  it('colours only where the host takes colours', async () => {
    const coloured = await runCli(['create', 'x'], { color: true });
    expect(coloured.stdout).toContain('\u001b[');
    expect((await runCli(['create', 'x'])).stdout).not.toContain('\u001b[');
  });

  it('prints a defect in one line, and the stack only with --verbose', async () => {
    vi.doMock('../../src/cli/commands/create/run.js', () => ({
      createCommand: () => Promise.reject(new TypeError('x is undefined\nand more')),
    }));
    const brief = await runCli(['create', 'x']);
    const verbose = await runCli(['create', 'x', '--verbose']);
    vi.doUnmock('../../src/cli/commands/create/run.js');
    expect(brief).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'internal error: x is undefined; run again with --verbose for the stack\n',
    });
    expect(verbose.stderr).toMatch(
      /^internal error: x is undefined\nTypeError: x is undefined\nand more\n {4}at /,
    );
  });
});
