import { describe, expect, it, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createProgram } from '../../src/cli/program.js';
import { fakeHost, runCli } from '../support/run-cli.js';

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

  it('groups the commands of its help by task, and shows examples and the page of a command', async () => {
    const { stdout } = await runCli(['--help']);
    expect(stdout.match(/^[A-Z][a-z ]+:$/gm)).toEqual(
      expect.arrayContaining(['Write extensions:', 'Find servers:', 'Install servers:', 'Run servers:']),
    );
    const call = await runCli(['call', '--help']);
    expect(call.stdout).toMatch(
      /\nExamples:\n {2}agenttools call \.\n(?:.*\n)*\nDocs: agenttools help call\n$/,
    );
    const set = await runCli(['secret', 'set', '--help']);
    expect(set.stdout).toContain('\nExamples:\n  agenttools secret set GITHUB_TOKEN\n');
  });

  it('has an example for every command', async () => {
    const { host } = fakeHost({ cwd: '/', home: '/', env: {} });
    for (const command of createProgram(host, () => {}).commands) {
      const { stdout } = await runCli([command.name(), '--help']);
      expect(stdout).toMatch(
        new RegExp(`\nExamples:\n(?: {2}.*\n)*? {2}(?:.* )?agenttools ${command.name()}`),
      );
    }
  });

  it('colours its help where the host takes colours, and only there', async () => {
    expect((await runCli(['--help'], { color: true })).stdout).toContain('\u001b[1mWrite extensions:');
    expect((await runCli(['--help'])).stdout).not.toContain('\u001b');
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
    [['-v'], 'Did you mean --version or --verbose?'],
    [['version'], 'Did you mean --version?'],
    [['search', 'weather'], 'Did you mean list-servers?'],
    [['call'], 'See its arguments and options with: agenttools call --help'],
    [['start', '--strikt'], 'start has no option "--strikt"'],
    [['start', 'a', 'b'], 'start serves one server'],
    [['explain', 'a', 'b'], 'too many arguments'],
  ])('exits 2 for %j', async (argv, message) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(message);
  });

  const { commands } = createProgram(fakeHost({ cwd: '.', home: '.' }).host, () => {});
  const lacking = commands
    .flatMap((command) => [command, ...command.commands])
    .filter(({ registeredArguments }) => registeredArguments.some(({ required }) => required))
    .map((command) => [...(command.parent?.parent ? [command.parent.name()] : []), command.name()]);

  it.each(lacking)('shows an example of a complete command line: %s %s', async (...words) => {
    const { code, stderr } = await runCli(words.filter((word) => word !== undefined));
    expect(code).toBe(2);
    expect(stderr).toMatch(
      new RegExp(`missing required argument .*\nFor example: .*agenttools ${words[0]} `),
    );
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
