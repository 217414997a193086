import { expect, it } from 'vitest';
import { shellWord } from '../../../src/engine/base/shell-word.js';

it.each([
  ['my-plugin', 'my-plugin'],
  ['../a/b.c', '../a/b.c'],
  ['two words', '"two words"'],
  ['~x', '"~x"'],
  ['$HOME/a', "'$HOME/a'"],
  [`it's $5`, `'it'\\''s $5'`],
  ['', '""'],
])('%s is written %s', (text, written) => {
  expect(shellWord(text)).toBe(written);
});
