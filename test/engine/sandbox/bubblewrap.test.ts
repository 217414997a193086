import { chmodSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findBubblewrap } from '../../../src/engine/sandbox/bubblewrap.js';
import { openSandbox } from '../../../src/engine/sandbox/open-sandbox.js';
import { noPermissions } from '../../../src/engine/sandbox/permissions.js';
import { writeFolder } from '../../support/packages.js';

test('names the missing bubblewrap and the command that installs it', async () => {
  await expect(findBubblewrap('relative:/nowhere', [])).rejects.toThrow(
    'The sandbox needs bubblewrap, which is not installed. Install it: apt-get install bubblewrap',
  );
});

test('names the reason why bubblewrap cannot work here', async () => {
  const folder = writeFolder({
    bwrap:
      '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.6.1 && exit\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
  });
  chmodSync(path.join(folder, 'bwrap'), 0o755);
  await expect(findBubblewrap('', [folder])).rejects.toThrow(
    'The sandbox needs user namespaces, and bubblewrap cannot create them here: bwrap: No permissions to create new namespace',
  );
});

test('uses only words that the version knows', async () => {
  for (const [version, extra] of [
    ['0.6.1', []],
    ['0.11.0', ['--disable-userns']],
  ] as const) {
    const folder = writeFolder({ bwrap: `#!/bin/sh\necho bubblewrap ${version}\n` });
    chmodSync(path.join(folder, 'bwrap'), 0o755);
    expect(await findBubblewrap('', [folder])).toEqual({ file: path.join(folder, 'bwrap'), extra });
  }
});

test.each([
  ['darwin', 'macOS'],
  ['win32', 'Windows'],
] as const)('is an error on %s', async (platform, name) => {
  const folder = writeFolder();
  const opening = openSandbox({
    level: 'bubblewrap',
    permissions: noPermissions,
    code: [],
    home: folder,
    dataFolder: path.join(folder, 'data'),
    platform,
    env: {},
    report: () => {},
  });
  await expect(opening).rejects.toThrow(`The sandbox needs bubblewrap, which ${name} does not have.`);
});
