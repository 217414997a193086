import { Command, CommanderError } from 'commander';
import { didYouMean } from '../engine/base/did-you-mean.js';
import { AgentToolsError } from '../engine/base/errors.js';
import { ownProgram, packageVersion, workspaceFolders } from '../engine/base/folders.js';
import type { Host } from '../host.js';
import { defineAdd } from './commands/add/grammar.js';
import { defineCall } from './commands/call/grammar.js';
import { defineCompletion } from './commands/completion/grammar.js';
import { defineCreate } from './commands/create/grammar.js';
import { defineCreateServer } from './commands/create-server/grammar.js';
import { defineDeleteServer } from './commands/delete-server/grammar.js';
import { defineDerive } from './commands/derive/grammar.js';
import { defineDev } from './commands/dev/grammar.js';
import { defineDoctor } from './commands/doctor/grammar.js';
import { defineExplain } from './commands/explain/grammar.js';
import { defineExport } from './commands/export/grammar.js';
import { defineGenerate } from './commands/generate/grammar.js';
import { defineHelp } from './commands/help/grammar.js';
import { defineHistory } from './commands/history/grammar.js';
import { defineInstall } from './commands/install/grammar.js';
import { defineListClients } from './commands/list-clients/grammar.js';
import { defineListInstalled } from './commands/list-installed/grammar.js';
import { defineListServers } from './commands/list-servers/grammar.js';
import { defineLogin } from './commands/login/grammar.js';
import { defineLogout } from './commands/logout/grammar.js';
import { defineOutdated } from './commands/outdated/grammar.js';
import { definePreview } from './commands/preview/grammar.js';
import { definePrune } from './commands/prune/grammar.js';
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
import { addPageHelp, examplesOf, helpFormat } from './help-format.js';
import { ExitCode } from './shared/exit-code.js';
import type { DefineCommand } from './shared/grammar/command-context.js';
import { expandOptionalValues } from './shared/grammar/target-options.js';
import { terminalWidth } from './shared/terminal-width.js';

/** All commands, by task, in the order of the help. */
const commandGroups: Readonly<Record<string, readonly DefineCommand[]>> = {
  'Write extensions': [
    defineCreate,
    defineGenerate,
    defineDerive,
    defineValidate,
    defineDev,
    defineTest,
    definePreview,
    defineExplain,
  ],
  'Find servers': [defineListServers, defineShow, defineListClients],
  'Install servers': [
    defineInstall,
    defineUninstall,
    defineListInstalled,
    defineSync,
    defineExport,
    defineAdd,
    defineRemove,
  ],
  'Run servers': [defineStart, defineCall, defineCreateServer, defineDeleteServer],
  'Maintain servers': [
    defineDoctor,
    defineOutdated,
    defineUpdate,
    definePrune,
    defineHistory,
    defineUndo,
    defineSecret,
    defineLogin,
    defineLogout,
  ],
  Help: [defineHelp, defineCompletion],
};

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
  program.hook('preAction', async (_, command) => {
    const top = command.parent === program ? command : command.parent;
    if (!readOnly.includes(top?.name() ?? '')) await renewLink(host);
  });
  try {
    await program.parseAsync(expandOptionalValues(words), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ExitCode.Ok;
    // A command line without a command prints the help.
    if (error.code === 'commander.help') return ExitCode.Usage;
    throw new AgentToolsError('usage', explainParseError(error, program), { cause: error });
  }
  return exitCode;
}

/** Words of other programs for our commands and options. */
const otherWords: Readonly<Record<string, string>> = {
  '-v': '--version or --verbose',
  check: 'validate',
  delete: 'uninstall, remove or delete-server',
  find: 'list-servers',
  init: 'create',
  inspect: 'show or dev',
  lint: 'validate',
  new: 'create',
  rm: 'uninstall or remove',
  run: 'start or call',
  search: 'list-servers',
  serve: 'start',
  upgrade: 'update',
  version: '--version',
};

/** Message of a command line that Commander rejects, with the way to the right one. */
function explainParseError({ code, message }: CommanderError, program: Command): string {
  const text = message
    .replace(/^error: (?:command-argument value )?/, '')
    // `expandOptionalValues` added the value.
    .replace(/(?<=^unknown option '--(?:project|adapt|sandbox))=[^']*/, '');
  const [, word = ''] = /^unknown (?:command|option) '(.*?)'/.exec(text) ?? [];
  const [, given, choices] = /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(text) ?? [];
  const choice = given && choices && didYouMean(given, choices.split(', '));
  const meant = otherWords[word];
  const suggested = meant
    ? `${text.split('\n', 1)[0]}\n(Did you mean ${meant}?)`
    : text + (choice ? ` Did you mean ${choice}?` : '');
  if (code === 'commander.unknownCommand') return `${suggested}\nSee all commands with: agenttools --help`;
  const [name = '', sub = ''] = program.args;
  const command = findCommand(program, name);
  if (!command) return suggested;
  const [example] =
    code === 'commander.missingArgument'
      ? examplesOf(findCommand(command, sub) ?? command, command.name())
      : [];
  return [
    suggested,
    ...(example ? [`For example: ${example}`] : []),
    `See its arguments and options with: agenttools ${name} --help`,
  ].join('\n');
}

function findCommand(parent: Command, name: string): Command | undefined {
  return parent.commands.find((one) => one.name() === name || one.aliases().includes(name));
}

/** Commands that write nothing but caches and the files of an extension. */
const readOnly = [
  'completion',
  'derive',
  'doctor',
  'explain',
  'export',
  'help',
  'history',
  'list-clients',
  'list-installed',
  'list-servers',
  'outdated',
  'show',
  'validate',
];

/** Points the Node and the script of entries at the running ones. */
async function renewLink(host: Host): Promise<void> {
  const { renewLinks } = await import('../engine/existing-servers/node-link.js');
  const { dataFolder } = workspaceFolders(host);
  const { command: execPath, args } = ownProgram();
  await renewLinks({ dataFolder, execPath, script: args[0]!, platform: host.platform });
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
    .helpCommand(false)
    .showSuggestionAfterError()
    .configureHelp(helpFormat)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      // `main` prints the error.
      outputError: () => {},
      getOutHelpWidth: () => terminalWidth(host.stdout),
      getErrHelpWidth: () => terminalWidth(host.stderr),
      getOutHasColors: () => host.color,
      getErrHasColors: () => host.color && 'isTTY' in host.stderr && host.stderr.isTTY === true,
    });

  for (const [title, defines] of Object.entries(commandGroups)) {
    program.commandsGroup(`${title}:`);
    for (const define of defines) define(program, { host, answer, command });
  }
  for (const one of program.commands) addPageHelp(one, host);
  return program.addHelpText(
    'after',
    '\nHelp for a command: agenttools <command> --help\nDocs pages:         agenttools help',
  );
}
