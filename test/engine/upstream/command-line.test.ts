import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../../../src/engine/upstream/command-line.js';

const folder = mkdtempSync(path.join(tmpdir(), 'agenttools-path-'));

test('a program is started as it is named, without a shell', () => {
  expect(commandLine('npx', ['-y', '$HOME; ls'], { env: {}, platform: 'linux' })).toEqual({
    command: 'npx',
    args: ['-y', '$HOME; ls'],
    isVerbatim: false,
  });
});

test('on Windows a batch file is run by cmd.exe, which gets every argument in quotes', () => {
  const file = path.join(folder, 'npx.cmd');
  writeFileSync(file, '');
  const env = { COMSPEC: 'C:\\cmd.exe' };
  expect(commandLine(file, ['-y', 'a b & c'], { env, platform: 'win32' })).toEqual({
    command: 'C:\\cmd.exe',
    args: ['/d', '/v:off', '/s', '/c', `""${file}" "-y" "a b & c""`],
    isVerbatim: true,
  });
});

test.each(['say "hi"', '%PATH%', 'two\nlines'])('on Windows a batch file is not given %j', (argument) => {
  const setting = { env: {}, platform: 'win32' } as const;
  expect(() => commandLine('C:\\npx.cmd', [argument], setting)).toThrow(
    'is a batch file, and cannot be given an argument with a quote, a percent sign or a line break',
  );
});
