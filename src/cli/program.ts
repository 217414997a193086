import { Command, CommanderError, Help, type Option } from 'commander';
import { didYouMean } from '../engine/base/did-you-mean.js';
import { AgentToolsError } from '../engine/base/errors.js';
import { packageVersion } from '../engine/base/folders.js';
import type { Host } from '../host.js';
import { defineAdd } from './commands/add/grammar.js';
import { defineCall } from './commands/call/grammar.js';
import { defineCreate } from './commands/create/grammar.js';
import { defineCreateServer } from './commands/create-server/grammar.js';
import { defineDeleteServer } from './commands/delete-server/grammar.js';
import { defineDerive } from './commands/derive/grammar.js';
import { defineDev } from './commands/dev/grammar.js';
import { defineDoctor } from './commands/doctor/grammar.js';
import { defineExplain } from './commands/explain/grammar.js';
import { defineExport } from './commands/export/grammar.js';
import { defineGenerate } from './commands/generate/grammar.js';
import { defineHistory } from './commands/history/grammar.js';
import { defineInstall } from './commands/install/grammar.js';
import { defineListClients } from './commands/list-clients/grammar.js';
import { defineListInstalled } from './commands/list-installed/grammar.js';
import { defineListServers } from './commands/list-servers/grammar.js';
import { defineLogin } from './commands/login/grammar.js';
import { defineLogout } from './commands/logout/grammar.js';
import { definePreview } from './commands/preview/grammar.js';
import { defineRemove } from './commands/remove/grammar.js';
import { defineSecret } from './commands/secret/grammar.js';
import { defineShow } from './commands/show/grammar.js';
import { defineStart } from './commands/start/grammar.js';
import { defineSync } from './commands/sync/grammar.js';
import { defineTest } from './commands/test/grammar.js';
import { defineUndo } from './commands/undo/grammar.js';
import { defineUninstall } from './commands/uninstall/grammar.js';
import { defineUpdate } from './commands/update/grammar.js';
import { defineValidate } from './commands/validate/grammar.js';
import { ExitCode } from './shared/exit-code.js';
import type { DefineCommand } from './shared/grammar/command-context.js';
import { expandOptionalValues } from './shared/grammar/target-options.js';
import { terminalWidth } from './shared/terminal-width.js';

/** All commands, in the order of the help. */
const commands: readonly DefineCommand[] = [
  defineCreate,
  defineGenerate,
  defineValidate,
  defineDev,
  defineTest,
  definePreview,
  defineDerive,
  defineExplain,
  defineListServers,
  defineShow,
  defineCall,
  defineStart,
  defineCreateServer,
  defineDeleteServer,
  defineInstall,
  defineUninstall,
  defineListClients,
  defineListInstalled,
  defineDoctor,
  defineSync,
  defineExport,
  defineHistory,
  defineUndo,
  defineSecret,
  defineLogin,
  defineLogout,
  defineAdd,
  defineRemove,
  defineUpdate,
];

/** Runs any command line with the full grammar. @throws AgentToolsError `usage` if it is invalid. */
export async function runProgram(argv: readonly string[], host: Host): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.Ok;
  const { words, command } = splitCommand(argv);
  const name = words.find((word) => !word.startsWith('-'));
  const program = createProgram(
    name === undefined ? host : { ...host, command: name },
    (code) => {
      exitCode = code;
    },
    command,
  );
  try {
    await program.parseAsync(expandOptionalValues(words), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ExitCode.Ok;
    // A command line without a command prints the help.
    if (error.code === 'commander.help') return ExitCode.Usage;
    const message =
      error.message.replace(/^error: (?:command-argument value )?/, '') + usageHint(error, words);
    throw new AgentToolsError('usage', message, { cause: error });
  }
  return exitCode;
}

/** A command line of each command that requires arguments. */
const examples: Readonly<Record<string, string>> = {
  create: 'create my-extension',
  generate: 'generate tool search',
  preview: 'preview .',
  show: 'show @acme/weather',
  call: 'call . greet name=Ada',
  'create-server': 'create-server trip --tool @acme/weather/forecast',
  'delete-server': 'delete-server trip',
  secret: 'secret set API_KEY',
  login: 'login https://mcp.example.com/mcp',
  logout: 'logout https://mcp.example.com/mcp',
  add: 'add @acme/weather',
  remove: 'remove @acme/weather',
};

/** The way out of an unreadable command line: empty, or further words of the message. */
function usageHint({ code, message }: CommanderError, words: readonly string[]): string {
  if (code === 'commander.unknownCommand') return '\nSee all commands with: agenttools --help';
  const [, given, choices] = /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(message) ?? [];
  const meant = given && choices && didYouMean(given, choices.split(', '));
  if (meant) return ` Did you mean ${meant}?`;
  const example = examples[words.find((word) => !word.startsWith('-')) ?? ''];
  return code === 'commander.missingArgument' && example ? `\nFor example: agenttools ${example}` : '';
}

/** Commands that take the command of a server after `--`. */
const takeCommand = [
  'install',
  'uninstall',
  'start',
  'call',
  'preview',
  'validate',
  'validate-extension',
  'test',
  'create-server',
  'show',
  'create',
];

/** Splits a command line at `--`, if a command of a server may follow. */
function splitCommand(argv: readonly string[]): {
  readonly words: readonly string[];
  readonly command: readonly string[] | undefined;
} {
  const end = argv.indexOf('--');
  const name = argv.find((word) => !word.startsWith('-'));
  if (end === -1 || name === undefined || !takeCommand.includes(name))
    return { words: argv, command: undefined };
  return { words: argv.slice(0, end), command: argv.slice(end + 1) };
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

/** Creates the grammar. `answer` takes the exit code of the command that ran; `command`: words after `--`. */
export function createProgram(
  host: Host,
  answer: (code: ExitCode) => void,
  command?: readonly string[],
): Command {
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

  for (const define of commands) define(program, { host, answer, command });
  return program;
}
