import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

const folder = process.env.AGENTTOOLS_VENDORS ?? mkdtempSync(path.join(tmpdir(), 'agenttools-nodes-'));

/** Path of the newest Node with this major version, which npm installs here. */
export function nodeRelease(major: number): string {
  const place = path.join(folder, `node${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  const file = path.join(place, 'node_modules', name, 'bin/node');
  if (!existsSync(file)) {
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'package.json'), '{}');
    const words = ['install', '--prefer-offline', '--no-fund', '--no-audit', `${name}@${major}`];
    execFileSync('npm', words, { cwd: place, stdio: 'pipe' });
  }
  return file;
}
