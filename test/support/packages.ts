import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Extension } from '../../src/engine/extension/extension.js';
import { Workspace, type WorkspaceOptions } from '../../src/engine/extension/workspace.js';

/** Text is written as it is, anything else as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** Writes files into a new folder. */
export function writeFolder(files: Files = {}): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'agenttools-test-')));
  addFiles(folder, files);
  return folder;
}

/** Writes further files into a folder, or other text into files it has. */
export function addFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
  }
}

/** The package.json of an extension. */
export function packageJson(manifest: unknown, fields: object = {}): object {
  return { name: '@acme/kit', version: '1.2.3', type: 'module', agenttools: manifest, ...fields };
}

/** Writes the package `@acme/kit` with a manifest and further files; gives its folder. */
export function writePackage(manifest: unknown, files: Files = {}, fields: object = {}): string {
  return writeFolder({ 'package.json': packageJson(manifest, fields), ...files });
}

/** Writes a package as {@link writePackage} does, and opens it. */
export async function openPackage(manifest: unknown, files: Files = {}): Promise<Extension> {
  return await Extension.open(writePackage(manifest, files));
}

/** A workspace on this machine that sees nothing but what it is given. */
export function openWorkspace(options: Partial<WorkspaceOptions> = {}): Workspace {
  const nowhere = writeFolder();
  return new Workspace({
    cwd: nowhere,
    homeDirectory: nowhere,
    builtinFolder: nowhere,
    packagesFolder: nowhere,
    globalFolder: nowhere,
    ...options,
  });
}
