import { ownProgram } from '../../engine/base/folders.js';
import type { NpmDeps } from '../../engine/npm/npm-dependencies.js';
import type { Host } from '../../host.js';

/** Inputs for the npm settings of the user, from the process environment. */
export function npmSetting({ cwd, env, home, platform }: Host): NpmDeps {
  return { cwd, env, home, platform, execPath: ownProgram().command };
}
