import process from 'node:process';
import { AgentToolsError } from '../engine/base/errors.js';
import { setOutgoingFetch } from '../engine/base/outgoing-fetch.js';
import { visibleText } from '../engine/base/visible-text.js';
import type { Host } from '../host.js';
import { parseStartArguments } from './commands/start/arguments.js';
import { startCommand } from './commands/start/run.js';
import { ExitCode } from './shared/exit-code.js';

export { ExitCode } from './shared/exit-code.js';

/** Runs one command line. Only this function turns errors into exit codes. */
export async function main(argv: readonly string[], host: Host): Promise<ExitCode> {
  setOutgoingFetch(async () => {
    const { findFetch } = await import('../engine/network/find-fetch.js');
    return await findFetch({ ...host, execPath: process.execPath });
  });
  try {
    return await dispatch(argv, host);
  } catch (error) {
    return reportError(error, host, argv.includes('--verbose'));
  }
}

/** Clients wait for `start`, so it skips the full grammar and loads only the modules that it needs. */
async function dispatch(argv: readonly string[], host: Host): Promise<ExitCode> {
  const [command, ...words] = argv;
  const start = command === 'start' ? parseStartArguments(words) : undefined;
  if (start) return await startCommand(start, host);
  if (argv.length === 1 && (command === '--version' || command === '-V')) {
    const { packageVersion } = await import('../engine/base/folders.js');
    host.stdout.write(`${packageVersion()}\n`);
    return ExitCode.Ok;
  }
  const { runProgram } = await import('./program.js');
  return await runProgram(argv, host);
}

/** Messages quote packages and command lines, so invisible characters are escaped. */
function reportError(error: unknown, { stderr }: Host, verbose: boolean): ExitCode {
  const stack = verbose && error instanceof Error ? `${formatErrorStack(error)}\n` : '';
  if (error instanceof AgentToolsError) {
    stderr.write(visibleText(`error: ${error.message}\n${stack}`));
    if (error.code === 'interrupted') return ExitCode.Interrupted;
    return error.code === 'usage' ? ExitCode.Usage : ExitCode.Failed;
  }
  const message = error instanceof Error ? error.message : String(error);
  const [firstLine] = message.split('\n');
  const hint = verbose ? '' : '; run again with --verbose for the stack';
  stderr.write(visibleText(`internal error: ${firstLine}${hint}\n${stack}`));
  return ExitCode.Failed;
}

/** Stack of an error, followed by the stacks of its causes. */
function formatErrorStack(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${own}\ncaused by ${formatErrorStack(error.cause)}` : own;
}
