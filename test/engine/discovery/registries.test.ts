import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openRegistries } from '../../../src/engine/discovery/registries.js';
import { writeFolder } from '../../support/packages.js';

const registry = 'https://registry.example/';

async function identity(cacheFolder: string | undefined, password = 'secret') {
  const home = writeFolder({
    '.npmrc': `registry=${registry}\n//registry.example/:_authToken=${password}\n`,
  });
  const npm = { env: {}, home, platform: 'linux', execPath: process.execPath } as const;
  const registries = await openRegistries({ npm, ...(cacheFolder !== undefined && { cacheFolder }) });
  return registries.identityOf(registries.places[0]);
}

test('separates the users of a registry by a secret in the cache folder', async () => {
  const cacheFolder = path.join(writeFolder(), 'cache');
  const mine = await identity(cacheFolder);
  expect(await identity(cacheFolder)).toBe(mine);
  expect(await identity(cacheFolder, 'other')).not.toBe(mine);
  expect(await identity(writeFolder())).not.toBe(mine);
  expect(readdirSync(cacheFolder)).toEqual(['secret']);
  expect(statSync(path.join(cacheFolder, 'secret')).mode & 0o777).toBe(0o600);
  expect(statSync(cacheFolder).mode & 0o777).toBe(0o700);
});

test('creates the secret once, also concurrently, and again if it is damaged', async () => {
  const cacheFolder = writeFolder();
  const made = await Promise.all([1, 2, 3, 4].map(async () => await identity(cacheFolder)));
  expect(new Set([...made, await identity(cacheFolder)]).size).toBe(1);
  writeFileSync(path.join(cacheFolder, 'secret'), '');
  expect(await identity(cacheFolder)).not.toBe(made[0]);
  expect(readFileSync(path.join(cacheFolder, 'secret'), 'utf8')).toMatch(/^[0-9a-f]{64}$/);
});

test('without a cache folder nothing is kept', async () => {
  expect(await identity(undefined)).not.toBe(await identity(undefined));
});
