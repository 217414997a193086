import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { bareEnvironment, fixture, openProgram, programFile, startProgram } from '../support/program.js';

const home = mkdtempSync(path.join(tmpdir(), 'agenttools-code-cache-'));
const folder = path.join(home, 'cache/code');

beforeEach(() => rmSync(path.join(home, 'cache'), { recursive: true, force: true }));

interface Run {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
}

/** Starts a server, reads its list and ends it. */
async function listOnce({ env = {}, nodeFlags = [] }: Run = {}): Promise<void> {
  const program = await openProgram(fixture('valid/greeter'), {
    env: bareEnvironment({ AGENTTOOLS_HOME: home, ...env }),
    command: [process.execPath, ...nodeFlags, programFile, 'start', fixture('valid/greeter')],
  });
  const { tools } = await program.request('tools/list');
  expect(tools.length).toBeGreaterThan(0);
  expect(await program.end()).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
}

/** The only file of the cache. */
function cachedFile(): string {
  const [name, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return path.join(folder, name!);
}

test('keeps compiled code for its owner, and uses it at the next start', async () => {
  await listOnce();
  const file = cachedFile();
  const { ino, size, mode } = statSync(file);
  expect(size).toBeGreaterThan(200_000);
  if (process.platform !== 'win32') expect(mode & 0o077).toBe(0);

  await listOnce();
  expect(statSync(cachedFile()).ino).toBe(ino);
});

test.each([
  ['other', () => Buffer.from('not compiled code, not compiled code')],
  ['half zero', (code: Buffer) => Buffer.from(code).fill(0, code.length / 2)],
  ['changed', (code: Buffer) => Buffer.from(code).fill(0x55, 0x8000, 0x8100)],
])('replaces code whose file is %s', async (_, damaged) => {
  await listOnce();
  const file = cachedFile();
  const { length } = readFileSync(file);
  writeFileSync(file, damaged(readFileSync(file)));

  await listOnce();
  expect(cachedFile()).toBe(file);
  const replaced = readFileSync(file);
  expect(replaced.length).toBeGreaterThan(length / 2);
  expect(replaced.subarray(0, replaced.length / 2).equals(replaced.subarray(replaced.length / 2))).toBe(true);
});

test('replaces code that V8 compiled with other flags', async () => {
  await listOnce();
  const { ino } = statSync(cachedFile());
  await listOnce({ nodeFlags: ['--no-opt'] });
  expect(statSync(cachedFile()).ino).not.toBe(ino);
});

test('keeps nothing with NODE_DISABLE_COMPILE_CACHE', async () => {
  await listOnce({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } });
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});

test('keeps nothing of a start that fails', async () => {
  const program = startProgram(fixture('no-such-server'), { env: { AGENTTOOLS_HOME: home } });
  expect(await program.exit).toEqual({ code: 1, signal: null });
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});

test('starts without a word where the cache folder cannot be written to', async () => {
  writeFileSync(path.join(home, 'cache'), 'a file');
  await listOnce();
  expect(readFileSync(path.join(home, 'cache'), 'utf8')).toBe('a file');
});

test('removes all but the latest eight files', async () => {
  mkdirSync(folder, { recursive: true });
  for (let age = 1; age <= 9; age += 1) {
    const file = path.join(folder, `v${age}`);
    writeFileSync(file, '');
    utimesSync(file, 1_700_000_000 - age, 1_700_000_000 - age);
  }
  await listOnce();
  const names = readdirSync(folder);
  expect(names).toHaveLength(8);
  expect(names).toEqual(expect.arrayContaining(['v1', 'v7']));
});
