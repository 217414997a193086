import path from 'node:path';
import { shortName } from '../extension/names.js';
import { programsOf } from './npm-program.js';
import { programName } from './runner-words.js';
import { readJson } from './scripted-packages.js';
import type { NpmReference } from './server-reference.js';

/** A package in a folder of npm servers. */
interface NpmFolderPackage {
  readonly reference: NpmReference;
  /** Arguments of its program. */
  readonly args: readonly string[];
}

/** Script of a package in a folder of npm servers, with the folder and the name of the package. */
const scriptPath =
  /^(.*[\\/]npm-servers[\\/][^\\/]+[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/](.+)$/;

/**
 * Reads a command that `install` wrote for an npm package. Its folder disappears with the last entry that `install` wrote,
 * so the package is the server.
 */
export async function readNpmFolder([command = '', script = '', ...args]: readonly string[]): Promise<
  NpmFolderPackage | undefined
> {
  const [, folder, found = '', file] = scriptPath.exec(script) ?? [];
  if (programName(command) !== 'node' || folder === undefined || file === undefined) return undefined;
  const name = found.replaceAll('\\', '/');
  const packageJson = await readJson(path.join(folder, 'package.json')).catch(() => undefined);
  const { version } = packageJson ?? {};
  if (!packageJson || typeof version !== 'string' || packageJson.name !== name) return undefined;
  const programs = Object.entries(programsOf(packageJson, name));
  const program = programs.find(([, own]) => path.resolve(folder, own) === path.resolve(script));
  if (!program) return undefined;
  const [bin] = program;
  const isUsual = programs.length === 1 || bin === shortName(name);
  return { reference: { kind: 'npm', name, version, ...(!isUsual && { bin }) }, args };
}
