import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { readSpec } from '../../../src/engine/npm/package-spec.js';
import { addPackage } from '../../../src/engine/packages/add.js';
import { planUpdates } from '../../../src/engine/packages/update.js';
import { addFiles, packageJson, writeFolder } from '../../support/packages.js';

vi.mock('../../../src/engine/packages/version-difference.js', () => ({
  comparePackages: async () => {
    throw new TypeError('a bug');
  },
}));

it('an update that cannot be planned leaves nothing behind', async () => {
  const home = writeFolder({ '.npmrc': 'registry=http://127.0.0.1:9/\n' });
  const packagesFolder = path.join(home, 'data/packages/node_modules');
  const setting = {
    packagesFolder,
    npm: {
      env: { PATH: process.env.PATH, HOME: home },
      home,
      platform: process.platform,
      execPath: process.execPath,
    },
    now: () => new Date(0),
    onProgress: () => {},
  };
  for (const name of ['one', 'other']) {
    const folder = writeFolder({ 'package.json': packageJson({ tools: [] }, { name }) });
    await addPackage(await readSpec(folder, '/'), setting);
    addFiles(folder, { 'new.txt': '' });
  }
  await expect(planUpdates({ names: [], load: false }, setting)).rejects.toThrow(TypeError);
  expect(
    readdirSync(path.join(packagesFolder, '../../installed')).filter((name) => name.startsWith('.')),
  ).toEqual([]);
}, 60_000);
