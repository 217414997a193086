import { ownProgram } from '../engine/base/folders.js';
import type { NpmDeps } from '../engine/npm/npm-dependencies.js';
import type { Host } from '../host.js';

/** What the settings of the user's npm depend on where the command runs. */
export function npmSetting({ cwd, env, home, platform }: Host): NpmDeps {
  return { cwd, env, home, platform, execPath: ownProgram().command };
}
