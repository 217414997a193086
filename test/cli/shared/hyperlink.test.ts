import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { showsHyperlinks } from '../../../src/cli/shared/text/hyperlink.js';

const terminal = Object.assign(new PassThrough(), { isTTY: true });
const pipe = new PassThrough();

test.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['iTerm2', { TERM_PROGRAM: 'iTerm.app' }, true],
  ['WezTerm', { TERM_PROGRAM: 'WezTerm' }, true],
  ['kitty', { TERM: 'xterm-kitty' }, true],
  ['GNOME Terminal', { TERM: 'xterm-256color', VTE_VERSION: '7600' }, true],
  ['Windows Terminal', { WT_SESSION: 'x' }, true],
  ['VTE 0.50.0', { VTE_VERSION: '5000' }, false],
  ['the terminal of VS Code, which finds places itself', { TERM_PROGRAM: 'vscode' }, false],
  ['an unknown terminal', { TERM: 'xterm-256color' }, false],
  ['tmux', { TERM_PROGRAM: 'iTerm.app', TMUX: 'x' }, false],
  ['CI', { TERM_PROGRAM: 'iTerm.app', CI: 'true' }, false],
  ['FORCE_HYPERLINK=1', { FORCE_HYPERLINK: '1' }, true],
  ['FORCE_HYPERLINK=0', { TERM_PROGRAM: 'iTerm.app', FORCE_HYPERLINK: '0' }, false],
])('links in %s', (_, env, expected) => {
  expect(showsHyperlinks({ color: true, env, stdout: terminal })).toBe(expected);
});

test('no links without colours, or on a pipe', () => {
  const env = { TERM_PROGRAM: 'iTerm.app' };
  expect(showsHyperlinks({ color: false, env, stdout: terminal })).toBe(false);
  expect(showsHyperlinks({ color: false, env: { FORCE_HYPERLINK: '1' }, stdout: terminal })).toBe(false);
  expect(showsHyperlinks({ color: true, env, stdout: pipe })).toBe(false);
});
