import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { askServer, askYesNo } from '../../src/cli/question.js';

const names = ['/x/kit', '/x/more'];
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
  ['3\r', '3'],
])('the answer %j means %s', async (typed, server) => {
  const { stdin, stderr } = terminal(typed);
  expect(await askServer(names, { stdin, stderr })).toBe(server);
  expect(String(stderr.read())).toContain('Which server?');
});

it.each([
  ['Ctrl-D', '\u0004'],
  ['Ctrl-C', '\u0003'],
  ['the end of the input', ''],
  ['an empty line', '\r'],
])('%s is no answer: usage, with the list', async (_, typed) => {
  await expect(askServer(names, terminal(typed))).rejects.toMatchObject(usage);
});

it('nobody is asked where there is no terminal', async () => {
  const stderr = new PassThrough();
  await expect(askServer(names, { stdin: new PassThrough(), stderr })).rejects.toMatchObject(usage);
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

it('nobody says yes where there is no terminal', async () => {
  const asked = askYesNo('Go on?', { stdin: new PassThrough(), stderr: new PassThrough() });
  expect(await asked).toBe(undefined);
});
