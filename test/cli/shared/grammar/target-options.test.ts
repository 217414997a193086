import { describe, expect, it } from 'vitest';
import {
  expandOptionalValues,
  placeInput,
  type TargetFlags,
  type TargetInput,
} from '../../../../src/cli/shared/grammar/target-options.js';
import { writeFolder } from '../../../support/packages.js';
import { runCli } from '../../../support/run-cli.js';

describe('a bare --project', () => {
  it.each([
    ['install cursor --project x', 'install cursor --project=. x'],
    ['install --project=y cursor', 'install --project=y cursor'],
    ['uninstall cursor -- --project', 'uninstall cursor -- --project'],
    ['start --project x', 'start --project x'],
    ['--verbose start --project x', '--verbose start --project x'],
    ['--verbose install cursor --project start', '--verbose install cursor --project=. start'],
  ])('%s means %s', (line, meant) => {
    expect(expandOptionalValues(line.split(' ')).join(' ')).toBe(meant);
  });

  it('names no folder for start, at any position of --verbose', async () => {
    const cwd = writeFolder();
    const { code, stderr } = await runCli(['--verbose', 'start', '--project', 'nothing'], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('no server "nothing"') });
  });
});

describe('the words of a place', () => {
  const meanings: readonly (readonly [string, TargetFlags, Partial<TargetInput>])[] = [
    ['codex', {}, { client: 'codex', server: undefined }],
    ['codex kit', {}, { client: 'codex', server: 'kit' }],
    ['kit', { all: true }, { client: undefined, server: 'kit' }],
    ['kit', { config: 'x.toml' }, { client: undefined, server: 'kit' }],
    ['./codex', { config: 'x.toml' }, { client: undefined, server: './codex' }],
    ['codex', { config: 'x.toml', client: 'codex' }, { client: 'codex', server: 'codex' }],
  ];

  it.each(meanings)('%s with %j', async (words, options, expected) => {
    const [first, second] = words.split(' ');
    expect(await placeInput([first, second], options)).toMatchObject(expected);
  });

  const refusals: readonly (readonly [readonly [string?, string?], TargetFlags, RegExp])[] = [
    [[], {}, /Which client/],
    [['codex', 'kit'], { all: true }, /two words: codex, kit/],
    [['codex', 'kit'], { config: 'x.toml' }, /--config.*--client/],
    [['codex'], { config: 'x.toml' }, /--config.*--client/],
    [['Claude-Code'], { config: 'x.toml' }, /--config.*--client/],
    [['codex'], { client: 'codex' }, /Without --config/],
    [[], { config: 'x.toml', all: true }, /--config names one file/],
  ];

  it.each(refusals)('%j with %j is refused', async ([first, second], options, message) => {
    await expect(placeInput([first, second], options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
    });
  });
});
