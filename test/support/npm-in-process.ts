import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Ending from '../../src/engine/npm/run-to-exit.js';
import { runsAll } from './tier.js';

const variable = 'AGENTTOOLS_TEST_NPM';

/**
 * In the environment of a machine: its npm installs in this process, which saves the start of a program. In
 * `npm run test:all` it is a program there, too.
 */
export const npmInProcess: Readonly<Record<string, string>> = runsAll ? {} : { [variable]: 'in-process' };

/**
 * Replaces the npm program by its installer, where {@link npmInProcess} asks for it. The installer has no signals and no
 * guard; tests of those start npm.
 */
export function withNpmInProcess(real: typeof Ending): typeof Ending {
  return {
    ...real,
    runToExit: async (command, args, options) => {
      const [program = ''] = args;
      const isWanted = options.env[variable] !== undefined && path.basename(program) === 'npm-cli.js';
      if (!isWanted) return await real.runToExit(command, args, options);
      options.signal?.throwIfAborted();
      try {
        await install(program, args.slice(1), options);
        return { code: 0, stdout: '', stderr: '' };
      } catch (error) {
        return { code: 1, stdout: '', stderr: npmErrorText(error as NodeJS.ErrnoException) };
      }
    },
  };
}

/** As npm does: lib/npm.js, lib/commands/install.js */
async function install(
  program: string,
  args: readonly string[],
  { cwd, env, platform }: Ending.RunToExitOptions,
): Promise<void> {
  const library = createRequire(program);
  const Config = library('@npmcli/config');
  const config = new Config({
    ...library('@npmcli/config/lib/definitions'),
    npmPath: path.resolve(program, '../..'),
    argv: [process.execPath, program, ...args],
    // npm writes into it.
    env: { ...env },
    execPath: process.execPath,
    platform,
    cwd,
    warn: false,
  });
  await config.load();
  const [command, ...add] = config.parsedArgv.remain as string[];
  if (command !== 'install') throw new Error(`npm ${command} is not to be run in this process.`);
  const Arborist = library('@npmcli/arborist');
  const options = {
    ...config.flat,
    nodeVersion: process.version,
    auditLevel: null,
    path: config.localPrefix,
    add,
  };
  await new Arborist(options).reify(options);
}

/** As npm prints it. */
function npmErrorText({ code, message }: NodeJS.ErrnoException): string {
  return `npm error code ${code}\n${message.replace(/^/gm, 'npm error ')}\n`;
}
