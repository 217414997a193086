import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { Environment } from './environment.js';

/** Finds a program on the PATH of an environment; undefined if it is missing. */
export async function findProgram(name: string, env: Environment): Promise<string | undefined> {
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const endings = path.sep === '\\' ? (env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';') : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.resolve(folder, name + ending);
      if (await isExecutable(file)) return file;
    }
  }
  return undefined;
}

/** True if a file exists and may be executed. */
export async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
