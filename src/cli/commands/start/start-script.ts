// Loads the script that holds the modules of the start path. The build makes `start.cjs` of this module.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { cacheFolderOf } from '../../../engine/base/system-folders.js';
import { CompiledScript } from './compiled-script.js';

/** Hash of the script, set by the build. */
declare const SCRIPT_HASH: string;

const file = path.join(__dirname, 'start-script.js');

const compiled = new CompiledScript({ file, source: readFileSync(file, 'utf8'), ...cacheFile() });

/** The exports of the modules of the start path. */
export const script = compiled.run(
  require,
  { url: pathToFileURL(file).href },
  async (specifier: string) => await import(specifier),
);

/** Keeps the compiled code for the next start. Call it after the start path has run. */
export function keepCompiledCode(): void {
  compiled.keep();
}

/** Empty if Node's compile cache is turned off or no cache folder is known. */
function cacheFile(): { readonly cacheFile?: string } {
  const { env, platform, version, arch } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE) return {};
  try {
    const folder = cacheFolderOf({ cwd: process.cwd(), env, home: os.homedir(), platform });
    return { cacheFile: path.join(folder, 'code', `${version}-${arch}-${SCRIPT_HASH}`) };
  } catch {
    return {};
  }
}
