import { chmodSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findNpm } from '../../../src/engine/npm/find-npm.js';
import { writeFolder } from '../../support/packages.js';

/** A folder with an npm of that mode. */
function binary(mode: number): string {
  const folder = writeFolder({ npm: '#!/bin/sh\n' });
  chmodSync(path.join(folder, 'npm'), mode);
  return folder;
}

const besideNode = writeFolder({ 'lib/node_modules/npm/bin/npm-cli.js': '' });
const execPath = path.join(besideNode, 'bin/node');

async function found(...folders: readonly string[]) {
  const setting = { env: { PATH: folders.join(':') }, home: '/', platform: 'linux', execPath } as const;
  return await findNpm(setting);
}

describe('npm is', () => {
  it('the first on PATH that may be executed, as in a shell', async () => {
    const [locked, open] = [binary(0o644), binary(0o755)];
    expect(await found(locked, open, binary(0o755))).toEqual({ command: path.join(open, 'npm'), args: [] });
  });

  it('none that lies where a relative path in PATH leads', async () => {
    const open = binary(0o755);
    const relative = path.relative(process.cwd(), binary(0o755));
    expect(await found(relative, open)).toEqual({ command: path.join(open, 'npm'), args: [] });
  });

  it('else the one that came with Node', async () => {
    const script = path.join(besideNode, 'lib/node_modules/npm/bin/npm-cli.js');
    expect(await found(binary(0o644))).toEqual({ command: execPath, args: [script] });
  });
});
