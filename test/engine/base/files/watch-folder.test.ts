import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { isWatched, watchFolder } from '../../../../src/engine/base/files/watch-folder.js';
import { temporaryFolder, writeFiles } from '../../../support/run-cli.js';

let stop = () => {};
afterEach(() => stop());

/** A watched folder, and the next time it tells of a change. */
async function watched(files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  let told = () => {};
  stop = await watchFolder(folder, () => told());
  const change = () =>
    new Promise<string>((resolve) => {
      told = () => resolve('told');
    });
  return { folder, change };
}

test('a file below the folder', async () => {
  const { folder, change } = await watched({ 'a/b/app.html': '1' });
  const changed = change();
  await writeFile(path.join(folder, 'a/b/app.html'), '2');
  expect(await changed).toBe('told');
});

test('a file in a folder that came later, and in one that took the place of another', async () => {
  const { folder, change } = await watched({ 'a/app.html': '1' });
  for (const name of ['new', 'a']) {
    const replaced = change();
    await mkdir(path.join(folder, '.next'), { recursive: true });
    if (name === 'a') await rename(path.join(folder, 'a'), path.join(folder, '.old'));
    await rename(path.join(folder, '.next'), path.join(folder, name));
    expect(await replaced).toBe('told');
    const written = change();
    await writeFile(path.join(folder, name, 'app.html'), '2');
    expect(await written).toBe('told');
  }
});

test.each([
  ['app.html', true],
  ['catalog.json', true],
  ['node_modules', false],
  ['.git', false],
  ['server.log', false],
  ['app.html~', false],
])('%s counts: %s', (name, expected) => expect(isWatched(name)).toBe(expected));
