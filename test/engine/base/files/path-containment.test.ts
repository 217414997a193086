import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isInside, pathFault } from '../../../../src/engine/base/files/path-containment.js';
import { writeFolder } from '../../../support/packages.js';

test.each([
  ['a.js', undefined],
  ['./a/b.js', undefined],
  ['a/../b', undefined],
  ['..a/b', undefined],
  ['.', undefined],
  ['..', 'outside'],
  ['../x', 'outside'],
  ['a/../../x', 'outside'],
  ['a\\..\\..\\x', 'outside'],
  ['/etc/passwd', 'absolute'],
  ['C:\\x', 'absolute'],
  ['\\\\host\\share', 'absolute'],
])('the path %j is %s', (text, fault) => {
  expect(pathFault(text)).toBe(fault);
});

test('follows links to find out if a file is inside a folder', async () => {
  const outside = writeFolder({ 'secret.txt': 'x' });
  const folder = writeFolder({ 'own.txt': 'x', 'deep/file.txt': 'x' });
  symlinkSync(path.join(outside, 'secret.txt'), path.join(folder, 'out'));
  symlinkSync(path.join(folder, 'own.txt'), path.join(folder, 'deep', 'in'));
  symlinkSync(outside, path.join(folder, 'folder'));
  const inside = (name: string) => isInside(folder, path.join(folder, name));
  expect(await inside('own.txt')).toBe(true);
  expect(await inside('deep/in')).toBe(true);
  expect(await inside('.')).toBe(true);
  expect(await inside('out')).toBe(false);
  expect(await inside('folder/secret.txt')).toBe(false);
  expect(await inside('absent')).toBe(false);
});

test('a sibling with the same beginning is outside', async () => {
  const parent = writeFolder({ 'kit/a': 'x', 'kit-two/b': 'x' });
  expect(await isInside(path.join(parent, 'kit'), path.join(parent, 'kit-two', 'b'))).toBe(false);
});
