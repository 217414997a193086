/**
 * Runs in npm before npm does. Up to version 10, npm runs the `prepare` script of folders, and so of dependencies from git,
 * also with `--ignore-scripts`. And any npm prepares what it cloned by an npm in the clone, which obeys the clone's `.npmrc`,
 * and that names programs to run. So whatever it starts for a package is made to do nothing.
 * @see https://github.com/npm/pacote, lib/dir.js: what decides that is checked there since pacote 21 only; lib/git.js
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

/** An environment in which npm, of any version and however it is started, runs nothing that a package says. */
export function withoutScripts(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(scriptGuardCode)}`;
  return {
    ...env,
    // Whatever started us was perhaps started so itself; all that npm starts would be taken for a package's.
    npm_lifecycle_event: undefined,
    _PACOTE_NO_PREPARE_: undefined,
    NODE_OPTIONS: [env.NODE_OPTIONS, preload].filter(Boolean).join(' '),
    npm_config_ignore_scripts: 'true',
  };
}
