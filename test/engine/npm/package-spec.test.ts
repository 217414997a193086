import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSpec } from '../../../src/engine/npm/package-spec.js';
import { writeFolder } from '../../support/packages.js';

const cwd = writeFolder({ 'kit/package.json': {}, 'kit.tgz': 'x', 'kit-1.tgz/package.json': {} });

describe('a package on a command line', () => {
  it.each([
    ['weather', { kind: 'registry', name: 'weather', wanted: 'latest' }],
    ['kit', { kind: 'registry', name: 'kit', wanted: 'latest' }],
    ['weather@', { kind: 'registry', name: 'weather', wanted: 'latest' }],
    ['weather@*', { kind: 'registry', name: 'weather', wanted: 'latest' }],
    ['@acme/weather@^1.2', { kind: 'registry', name: '@acme/weather', wanted: '^1.2' }],
    ['@acme/weather@1.2.3', { kind: 'registry', name: '@acme/weather', wanted: '1.2.3' }],
    ['@acme/weather@next', { kind: 'registry', name: '@acme/weather', wanted: 'next' }],
    ['./kit', { kind: 'folder', wanted: path.join(cwd, 'kit') }],
    ['kit/', { kind: 'folder', wanted: path.join(cwd, 'kit') }],
    [path.join(cwd, 'kit'), { kind: 'folder', wanted: path.join(cwd, 'kit') }],
    ['./kit.tgz', { kind: 'tarball', wanted: path.join(cwd, 'kit.tgz') }],
    ['kit.tgz', { kind: 'tarball', wanted: path.join(cwd, 'kit.tgz') }],
    ['./kit-1.tgz', { kind: 'folder', wanted: path.join(cwd, 'kit-1.tgz') }],
    ['https://files.example/kit.tgz', { kind: 'tarball', wanted: 'https://files.example/kit.tgz' }],
  ])('%s', async (text, expected) => {
    expect(await readSpec(text, cwd)).toEqual(expected);
  });

  it.each([
    ['./none', 'not-found', 'neither a folder nor a tarball'],
    ['acme/weather', 'usage', 'not a package that can be added'],
    ['git+ssh://git.example/kit.git', 'usage', 'not a package that can be added'],
    ['kit@npm:weather', 'usage', 'not a package that can be added'],
    ['@acme/', 'not-found', 'neither a folder nor a tarball'],
    ['a b', 'usage', 'Expected name'],
    ['', 'usage', 'not a package that can be added'],
  ])('%j is refused: %s', async (text, code, message) => {
    await expect(readSpec(text, cwd)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });
});
