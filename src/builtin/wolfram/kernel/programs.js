import { execFile } from 'node:child_process';
import { access, constants, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';

/** How to install Wolfram software: the end of every message about a missing program. */
export const gettingAnEngine =
  'The Wolfram Engine is free for developers (https://www.wolfram.com/engine/) and includes wolframscript.';

/**
 * Finds `wolframscript`: the program in `WOLFRAMSCRIPT`, on the PATH, or in a standard folder.
 * @returns {Promise<string | undefined>} an absolute path
 * @throws {MissingProgram} if `WOLFRAMSCRIPT` does not name a program
 */
export async function findWolframscript(env, platform = process.platform) {
  return (
    (await named('WOLFRAMSCRIPT', env, platform)) ??
    (await onPath(['wolframscript'], env, platform)) ??
    (await firstProgram(scriptPlaces(env, platform), platform))
  );
}

/**
 * Finds the kernel: the program in `WOLFRAM_KERNEL`, on the PATH, the newest in a standard folder, or the kernel that
 * wolframscript reports.
 * @returns {Promise<string | undefined>} an absolute path
 * @throws {MissingProgram} if `WOLFRAM_KERNEL` does not name a program
 */
export async function findKernel(env, platform = process.platform) {
  return (
    (await named('WOLFRAM_KERNEL', env, platform)) ??
    (await onPath(kernelNames(platform), env, platform)) ??
    (await inStandardFolders(env, platform)) ??
    (await askWolframscript(env, platform))
  );
}

/** A variable for a program does not name one. */
export class MissingProgram extends Error {
  name = 'MissingProgram';
}

async function named(variable, env, platform) {
  const file = env[variable]?.trim();
  if (!file) return undefined;
  if (path.isAbsolute(file) && (await isProgram(file, platform))) return file;
  throw new MissingProgram(
    `${variable} is set to "${file}", which is not a program. Expected the absolute path of one.`,
  );
}

async function onPath(names, env, platform) {
  const folders = (env.PATH ?? env.Path ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder));
  const files = folders.flatMap((folder) =>
    names.map((name) => path.join(folder, platform === 'win32' ? `${name}.exe` : name)),
  );
  return await firstProgram(files, platform);
}

/** On Windows, `WolframKernel` opens a window; `wolfram` uses pipes. */
function kernelNames(platform) {
  return platform === 'win32' ? ['wolfram', 'WolframKernel'] : ['WolframKernel', 'wolfram'];
}

function scriptPlaces(env, platform) {
  if (platform === 'darwin') {
    return [
      '/usr/local/bin/wolframscript',
      '/opt/homebrew/bin/wolframscript',
      '/Applications/WolframScript.app/Contents/MacOS/wolframscript',
    ];
  }
  if (platform === 'win32') {
    return [path.join(programFiles(env), 'Wolfram Research', 'WolframScript', 'wolframscript.exe')];
  }
  return ['/usr/bin/wolframscript', '/usr/local/bin/wolframscript', '/opt/bin/wolframscript'];
}

async function inStandardFolders(env, platform) {
  if (platform === 'darwin') {
    const products = ['Wolfram', 'Mathematica', 'Wolfram Engine'];
    const inside = 'Contents/MacOS/WolframKernel';
    // The engine contains its kernel inside the player app.
    const player = 'Contents/Resources/Wolfram Player.app';
    const files = products.flatMap((product) => [
      `/Applications/${product}.app/${inside}`,
      `/Applications/${product}.app/${player}/${inside}`,
    ]);
    return await firstProgram(files, platform);
  }
  const roots =
    platform === 'win32'
      ? [path.join(programFiles(env), 'Wolfram Research')]
      : ['/usr/local/Wolfram', '/opt/Wolfram'];
  const products = ['Wolfram', 'Mathematica', 'WolframEngine', 'Wolfram Engine'];
  const folders = roots.flatMap((root) => products.map((product) => path.join(root, product)));
  const versions = (await Promise.all(folders.map(newestFirst))).flat();
  const files = versions.flatMap((version) =>
    kernelNames(platform).map((name) =>
      platform === 'win32' ? path.join(version, `${name}.exe`) : path.join(version, 'Executables', name),
    ),
  );
  return await firstProgram(files, platform);
}

function programFiles(env) {
  return env.ProgramFiles ?? env.PROGRAMFILES ?? 'C:\\Program Files';
}

async function newestFirst(folder) {
  try {
    const names = await readdir(folder);
    const byVersion = (a, b) => b.localeCompare(a, 'en', { numeric: true });
    return names.sort(byVersion).map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

const askingMs = 60_000;

async function askWolframscript(env, platform) {
  const script = await findWolframscript(env, platform);
  if (!script) return undefined;
  const said = await new Promise((resolve) => {
    const options = { env: withoutKeys(env), timeout: askingMs, killSignal: 'SIGKILL', windowsHide: true };
    const child = execFile(script, ['-code', 'First[$CommandLine]'], options, (error, stdout) =>
      resolve(error ? '' : stdout),
    );
    child.stdin?.end();
  });
  const file = said.trim().split(/\r?\n/).at(-1).replace(/^"|"$/g, '');
  return path.isAbsolute(file) && (await isProgram(file, platform)) ? file : undefined;
}

async function firstProgram(files, platform) {
  for (const file of files) if (await isProgram(file, platform)) return file;
  return undefined;
}

async function isProgram(file, platform) {
  try {
    await access(file, platform === 'win32' ? constants.F_OK : constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Variables that are removed from a kernel's environment, because evaluated code could print them. */
const secrets = new Set([
  'WOLFRAM_API_KEY',
  'WOLFRAM_ALPHA_APPID',
  'WOLFRAM_APP_ID',
  'WOLFRAM_LLM_APP_ID',
  'AGENTTOOLS_STATE_SECRET',
]);

/** An environment for a kernel, without the keys of AgentTools. */
export function withoutKeys(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.has(name.toUpperCase())));
}
