import { access, constants, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { NpmDeps } from './npm-dependencies.js';

/** Command that runs npm. */
export interface NpmProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The npm on PATH, otherwise the npm next to the running Node: desktop programs lack the PATH of a shell.
 * Undefined if there is no npm.
 */
export async function findNpm(setting: NpmDeps): Promise<NpmProgram | undefined> {
  const onPath = await npmOnPath(setting);
  const script = onPath?.endsWith('.js') ? onPath : undefined;
  if (onPath !== undefined && script === undefined) return { command: onPath, args: [] };
  const found = script ?? (await firstFile(besideNode(setting)));
  return found === undefined ? undefined : { command: setting.execPath, args: [found] };
}

/** Folder of that npm, which holds npm's built-in settings. */
export async function findNpmFolder(setting: NpmDeps): Promise<string | undefined> {
  const script = (await findNpm(setting))?.args[0];
  return script === undefined ? undefined : path.dirname(path.dirname(script));
}

const scriptFile = path.join('node_modules', 'npm', 'bin', 'npm-cli.js');

function besideNode({ execPath, platform }: NpmDeps): readonly string[] {
  const folder = path.dirname(execPath);
  return platform === 'win32'
    ? [path.join(folder, scriptFile)]
    : [path.join(folder, '..', 'lib', scriptFile)];
}

/**
 * npm's script, or a program that replaces it. On Windows, `npm` is a batch file next to the folder of the
 * script.
 */
async function npmOnPath({ env, platform }: NpmDeps): Promise<string | undefined> {
  const isWindows = platform === 'win32';
  const folders = pathVariable(env)
    .split(isWindows ? ';' : ':')
    .filter((folder) => path.isAbsolute(folder));
  const files = folders.map((folder) => path.join(folder, isWindows ? scriptFile : 'npm'));
  // Shells skip files that are not executable.
  const found = await firstFile(files, isWindows ? constants.F_OK : constants.X_OK);
  return found === undefined ? undefined : await realpath(found);
}

/** Windows does not fix the case of this name. */
function pathVariable(env: NpmDeps['env']): string {
  const [, value] = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH') ?? [];
  return value ?? '';
}

async function firstFile(files: readonly string[], mode = constants.F_OK): Promise<string | undefined> {
  for (const file of files) {
    const info = await stat(file).catch(() => undefined);
    if (info?.isFile() && (await isAccessible(file, mode))) return file;
  }
  return undefined;
}

async function isAccessible(file: string, mode: number): Promise<boolean> {
  return await access(file, mode).then(
    () => true,
    () => false,
  );
}
