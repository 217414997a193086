import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { addFiles, type Files, packageJson, writeFolder } from './packages.js';
import { fixture, root } from './program.js';

/** A new folder in which packages find the built `agenttools`, as they do where they are installed. */
function writePlace(): string {
  const folder = writeFolder();
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(root, path.join(folder, 'node_modules/agenttools'), 'dir');
  return folder;
}

/** A fixture extension that may import `agenttools`. Gives its folder. */
export function installFixture(name: string): string {
  const directory = path.join(writePlace(), name);
  cpSync(fixture(name), directory, { recursive: true });
  return directory;
}

/** The package `@acme/kit` with a manifest and further files, which may import `agenttools`. Gives its folder. */
export function installPackage(manifest: unknown, files: Files): string {
  const directory = path.join(writePlace(), 'kit');
  addFiles(directory, { 'package.json': packageJson(manifest), ...files });
  return directory;
}
