import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { askServer, askYesNo } from '../../../src/cli/shared/ask-question.js';

const names = ['/x/kit', '/x/more'];

const choice = (references: readonly string[] = names) => references;
const usage = { code: 'usage', message: expect.stringContaining('  1. /x/kit\n  2. /x/more') };

/** A terminal at which somebody types this, and then ends the input. */
function terminal(typed: string) {
  const asTerminal = { isTTY: true, setRawMode: () => {} };
  const stdin = Object.assign(new PassThrough(), asTerminal);
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  stdin.end(typed);
  return { stdin, stderr };
}

it.each([
  ['2\r', '/x/more'],
  ['/x/kit\r', '/x/kit'],
  [' @acme/kit/kit \r', '@acme/kit/kit'],
])('the answer %j means %s', async (typed, server) => {
  const { stdin, stderr } = terminal(typed);
  expect(await askServer(choice(), { stdin, stderr })).toBe(server);
  expect(String(stderr.read())).toContain('Which server?');
});

it.each([
  ['Ctrl-D', '\u0004'],
  ['the end of the input', ''],
  ['an empty line', '\r'],
])('%s is no answer: usage, with the list', async (_, typed) => {
  await expect(askServer(choice(), terminal(typed))).rejects.toMatchObject(usage);
});

it.each(['0\r', '3\r', '03\r'])('%j is not in the list: usage, with the list', async (typed) => {
  const error = await askServer(choice(), terminal(typed)).catch((reason: Error) => reason);
  expect(error).toMatchObject(usage);
  expect(error).toMatchObject({ message: expect.stringContaining(`There is no number ${typed.trim()}`) });
});

it('a server may be named by a number', async () => {
  expect(await askServer(choice([...names, '7', '4']), terminal('4\r'))).toBe('4');
  expect(await askServer(choice([...names, '7', '4']), terminal('3\r'))).toBe('7');
});

it('Ctrl-C is no answer, but the wish to end', async () => {
  const interrupted = { code: 'interrupted' };
  await expect(askServer(choice(), terminal('\u0003'))).rejects.toMatchObject(interrupted);
  await expect(askServer(choice(), terminal('2\u0003'))).rejects.toMatchObject(interrupted);
  await expect(askYesNo('Go on?', terminal('y\u0003'))).rejects.toMatchObject(interrupted);
});

it('fails without a question if there is no terminal', async () => {
  const stderr = new PassThrough();
  await expect(askServer(choice(), { stdin: new PassThrough(), stderr })).rejects.toMatchObject(usage);
  expect(stderr.read()).toBe(null);
});

it.each([
  ['y\r', true],
  ['Yes\r', true],
  ['n\r', false],
  ['sure\r', false],
  ['\r', false],
  ['\u0004', false],
])('%j is a yes: %s', async (typed, expected) => {
  expect(await askYesNo('Go on?', terminal(typed))).toBe(expected);
});

it('returns undefined for a yes-or-no question if there is no terminal', async () => {
  const asked = askYesNo('Go on?', { stdin: new PassThrough(), stderr: new PassThrough() });
  expect(await asked).toBe(undefined);
});
