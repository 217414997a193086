import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { parseStartArguments, startOptions } from '../../src/cli/start-arguments.js';
import { fakeHost } from '../support/run-cli.js';

describe('the words after start', () => {
  it.each([
    [[], { server: undefined, strict: false, project: false }],
    [['./plugin'], { server: './plugin', strict: false, project: false }],
    [['@acme/weather', '--strict'], { server: '@acme/weather', strict: true, project: false }],
    [['--strict', 'x', '--verbose'], { server: 'x', strict: true, project: false }],
    [['--', '--odd'], { server: '--odd', strict: false, project: false }],
    [['x', '--project'], { server: 'x', strict: false, project: true }],
    [['--help'], undefined],
    [['x', '-h'], undefined],
  ])('%j', (words, expected) => {
    expect(parseStartArguments(words)).toEqual(expected);
  });

  it.each([
    [['a', 'b'], 'usage', '"b" is a second one'],
    [['a', '--', 'b'], 'usage', '"b" is a second one'],
    [['--strikt'], 'usage', 'start has no option "--strikt". Its options: --strict, --project, --verbose.'],
    [['-x'], 'usage', 'start has no option "-x"'],
    [[''], 'usage', 'empty'],
  ])('%j is refused', (words, code, message) => {
    expect(() => parseStartArguments(words)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  it('are those of the grammar in the help', () => {
    const { host } = fakeHost({ cwd: '/', home: '/' });
    const program = createProgram(host, () => {});
    const start = program.commands.find((command) => command.name() === 'start');
    const flags = [...program.options, ...(start?.options ?? [])].map(({ long }) => long);
    expect(flags.sort()).toEqual(['--version', ...startOptions.map(({ flag }) => flag)].sort());
    expect(start?.registeredArguments.map((one) => [one.name(), one.required, one.variadic])).toEqual([
      ['server', false, false],
    ]);
  });
});
