import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { guardWrite } from '../base/file-fault.js';
import type { NpmDeps } from './npm-dependencies.js';
import { runNpm } from './run-npm.js';

/**
 * Installs a package into the `node_modules` of a folder, which it replaces at the end. Runs no scripts.
 * @throws AgentToolsError if npm fails, or the file system refuses
 */
export async function installInto(
  folder: string,
  spec: string,
  { npm, signal }: { readonly npm: NpmDeps; readonly signal: AbortSignal },
): Promise<void> {
  const staged = await guardWrite(folder, async () => {
    await mkdir(path.dirname(folder), { recursive: true });
    const made = await mkdtemp(`${folder}-`);
    await writeFile(path.join(made, 'package.json'), '{ "private": true }\n');
    return made;
  });
  try {
    await runNpm(['install', '--save-exact', '--', spec], { folder: staged, setting: npm, signal });
    await guardWrite(folder, async () => {
      await rm(folder, { recursive: true, force: true });
      await rename(staged, folder);
    });
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}
