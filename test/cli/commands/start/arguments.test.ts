import { describe, expect, it } from 'vitest';
import { parseStartArguments, startOptions } from '../../../../src/cli/commands/start/arguments.js';
import { createProgram } from '../../../../src/cli/program.js';
import { fakeHost } from '../../../support/run-cli.js';

describe('the words after start', () => {
  const usual = {
    server: undefined,
    strict: false,
    project: false,
    autoInstall: true,
    frozen: undefined,
    inProcess: false,
  };

  it.each([
    [[], {}],
    [['./plugin'], { server: './plugin' }],
    [['@acme/weather', '--strict'], { server: '@acme/weather', strict: true }],
    [['--strict', 'x', '--verbose'], { server: 'x', strict: true }],
    [['--', '--odd'], { server: '--odd' }],
    [['--', 'python', 'server.py'], { command: ['python', 'server.py'] }],
    [['x', '--project'], { server: 'x', project: true }],
    [['--no-auto-install', 'x'], { server: 'x', autoInstall: false }],
    [['x', '--frozen'], { server: 'x', frozen: 'item' }],
    [['x', '--frozen-server'], { server: 'x', frozen: 'server' }],
    [['x', '--in-process'], { server: 'x', inProcess: true }],
    [['--adapt', 'x'], { server: 'x', adapt: 'on' }],
    [['x', '--adapt=off'], { server: 'x', adapt: 'off' }],
    [['x', '--adapt', '--adapt=auto'], { server: 'x', adapt: 'auto' }],
  ])('%j', (words, expected) => {
    expect(parseStartArguments(words)).toEqual({ ...usual, ...expected });
  });

  it.each([
    [['--help']],
    [['x', '-h']],
    [['x', '--http', '--port', '0']],
    [['npm:x', '--only', 'a']],
    [['npm:x', '--only=a']],
  ])('%j is for the grammar', (words) => {
    expect(parseStartArguments(words)).toBeUndefined();
  });

  it.each([
    [['a', 'b'], 'usage', '"b" is a second one'],
    [['a', '--', 'b'], 'usage', '"b" is a second one'],
    [['a', '--adapt', 'off'], 'usage', 'write --adapt=off.'],
    [['--strikt'], 'usage', 'start has no option "--strikt". Its options: --strict, --project,'],
    [['-x'], 'usage', 'start has no option "-x"'],
    [['x', '--adapt=codex'], 'usage', '--adapt is auto, on or off, not "codex"'],
    [[''], 'usage', 'empty'],
  ])('%j is refused', (words, code, message) => {
    expect(() => parseStartArguments(words)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  it('shows no default for repeatable options', () => {
    const { host } = fakeHost({ cwd: '/', home: '/' });
    const start = createProgram(host, () => {}).commands.find((command) => command.name() === 'start');
    expect(start?.helpInformation()).not.toContain('[])');
  });

  it('match the grammar of the help', () => {
    const { host } = fakeHost({ cwd: '/', home: '/' });
    const program = createProgram(host, () => {});
    const start = program.commands.find((command) => command.name() === 'start');
    const own = (start?.options ?? []).filter(
      ({ description }) => !/^(with --|serve over)/.test(description),
    );
    const quick = own.filter(({ long }) => parseStartArguments([long!, 'x']) !== undefined);
    const flags = [...program.options, ...quick].map(({ long }) => long);
    expect(flags.sort()).toEqual(['--version', ...startOptions.map(({ flag }) => flag)].sort());
    expect(start?.registeredArguments.map((one) => [one.name(), one.required, one.variadic])).toEqual([
      ['server', false, false],
    ]);
  });
});
