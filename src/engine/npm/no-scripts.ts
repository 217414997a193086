/**
 * Preloaded in npm. Up to version 10, npm runs the `prepare` script of folders, and so of git dependencies,
 * also with `--ignore-scripts`. Any version prepares a clone with another npm inside it, which reads the
 * clone's `.npmrc`, and that file can name programs to run. So every process that npm starts for a package is
 * replaced by a no-op.
 * @see https://github.com/npm/pacote, lib/dir.js: checks the option only since pacote 21; lib/git.js
 */
const scriptGuardCode = `
import processes from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
const { spawn } = processes;
processes.spawn = (command, ...rest) => {
  const options = Array.isArray(rest[0]) ? rest[1] : rest[0];
  const { npm_lifecycle_event: script, _PACOTE_NO_PREPARE_: clone } = options?.env ?? {};
  if (script === undefined && clone === undefined) return spawn(command, ...rest);
  return spawn(process.execPath, ['--version'], { stdio: options.stdio });
};
syncBuiltinESMExports();
`;

/** Environment in which npm, of any version and any way to start it, runs no scripts of packages. */
export function withoutScripts(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(scriptGuardCode)}`;
  return {
    ...env,
    // AgentTools itself may run inside an npm script. Otherwise all processes of npm would be taken for those
    // of a package.
    npm_lifecycle_event: undefined,
    _PACOTE_NO_PREPARE_: undefined,
    NODE_OPTIONS: [env.NODE_OPTIONS, preload].filter(Boolean).join(' '),
    npm_config_ignore_scripts: 'true',
  };
}
