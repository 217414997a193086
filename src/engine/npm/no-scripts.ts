/**
 * Runs in npm before npm does. Up to version 10, npm runs the `prepare` script of folders, and so of dependencies from git,
 * also with `--ignore-scripts`; so whatever it starts as a script of a package is made to do nothing.
 * @see https://github.com/npm/pacote, lib/dir.js: what decides that is checked there since pacote 21 only
 */
const guard = `
import processes from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
const { spawn } = processes;
processes.spawn = (command, ...rest) => {
  const options = Array.isArray(rest[0]) ? rest[1] : rest[0];
  if (options?.env?.npm_lifecycle_event === undefined) return spawn(command, ...rest);
  return spawn(process.execPath, ['--version'], { stdio: options.stdio });
};
syncBuiltinESMExports();
`;

/** An environment in which npm, of any version and however it is started, runs no script of any package. */
export function withoutScripts(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(guard)}`;
  return {
    ...env,
    NODE_OPTIONS: [env.NODE_OPTIONS, preload].filter(Boolean).join(' '),
    npm_config_ignore_scripts: 'true',
  };
}
