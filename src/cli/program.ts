import { Command, CommanderError, Help, type Option } from 'commander';
import { AgentToolsError } from '../engine/base/errors.js';
import { packageVersion } from '../engine/base/folders.js';
import type { Host } from '../host.js';
import { addUserServerCommands } from './commands/create-server/grammar.js';
import { addInstallationCommands } from './commands/install/grammar.js';
import { addDiscoveryCommands } from './commands/list-servers/grammar.js';
import { addServerCommands } from './commands/start/grammar.js';
import { addPackageCommands } from './commands/update/grammar.js';
import { addExtensionCommands } from './commands/validate/grammar.js';
import { ExitCode } from './shared/exit-code.js';
import { expandProjectFlag } from './shared/grammar/target-options.js';
import { terminalWidth } from './shared/terminal-width.js';

/** Runs any command line with the full grammar. @throws AgentToolsError `usage` if it is invalid. */
export async function runProgram(argv: readonly string[], host: Host): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.Ok;
  const program = createProgram(host, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(expandProjectFlag(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ExitCode.Ok;
    // A command line without a command prints the help.
    if (error.code === 'commander.help') return ExitCode.Usage;
    const hint =
      error.code === 'commander.unknownCommand' ? '\nSee all commands with: agenttools --help' : '';
    throw new AgentToolsError('usage', error.message.replace(/^error: /, '') + hint, { cause: error });
  }
  return exitCode;
}

const standardHelp = new Help();

/** Shows all aliases of a command; Commander shows only the first. */
function withAliases(text: string, command: Command): string {
  const names = command.aliases();
  return names.length > 1 ? text.replace(`|${names[0]}`, `|${names.join('|')}`) : text;
}

/** Omits the default of repeatable options, an empty list. */
function optionDescription(option: Option): string {
  return Array.isArray(option.defaultValue) ? option.description : standardHelp.optionDescription(option);
}

/** Creates the grammar. `answer` takes the exit code of the command that ran. */
export function createProgram(host: Host, answer: (code: ExitCode) => void): Command {
  const program = new Command('agenttools')
    .description('Ship, check and serve MCP tools as ordinary npm packages.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .option('--verbose', 'show the stack of an internal error')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showSuggestionAfterError()
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => withAliases(standardHelp.subcommandTerm(command), command),
      commandUsage: (command) => withAliases(standardHelp.commandUsage(command), command),
      optionDescription,
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      // `main` prints the error.
      outputError: () => {},
      getOutHelpWidth: () => terminalWidth(host.stdout),
      getErrHelpWidth: () => terminalWidth(host.stderr),
      getOutHasColors: () => host.color,
      getErrHasColors: () => host.color,
    });

  const answering = { host, answer };
  addExtensionCommands(program, answering);
  addDiscoveryCommands(program, answering);
  addServerCommands(program, answering);
  addUserServerCommands(program, answering);
  addInstallationCommands(program, answering);
  addPackageCommands(program, answering);
  return program;
}
