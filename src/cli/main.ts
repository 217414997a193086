import process from 'node:process';
import { setOutgoingFetch } from '../engine/base/outgoing-fetch.js';
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
    const { reportFailure } = await import('./shared/failure.js');
    return reportFailure(error, host, { verbose: argv.includes('--verbose'), json: isJsonWanted(argv) });
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

/** True for a command line that asks for JSON. Stdout of `start` belongs to the client. */
function isJsonWanted(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  if (words[0] === 'start') return false;
  return words.some((word, index) => {
    if (/^--(?:json|(?:format|reporter)=json)$/.test(word)) return true;
    return word === 'json' && /^--(?:format|reporter)$/.test(words[index - 1] ?? '');
  });
}
