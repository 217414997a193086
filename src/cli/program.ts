import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { AgentToolsError } from '../engine/errors.js';
import { packageVersion } from '../engine/folders.js';
import type { Host } from '../host.js';
import { ExitCode } from './exit-code.js';
import { startInput, startOptions } from './start-arguments.js';
import { validateFormats } from './validate-formats.js';

/** Runs any command line by the whole grammar. @throws AgentToolsError `usage` if it does not fit. */
export async function runProgram(argv: readonly string[], host: Host): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.Ok;
  const program = createProgram(host, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return ExitCode.Ok;
    // A command line without a command is answered with the help itself.
    if (error.code === 'commander.help') return ExitCode.Usage;
    throw new AgentToolsError('usage', error.message.replace(/^error: /, ''), { cause: error });
  }
  return exitCode;
}

/** The grammar. `answer` takes the exit code of the command that ran. */
export function createProgram(host: Host, answer: (code: ExitCode) => void): Command {
  const program = new Command('agenttools')
    .description('Ship, check and serve MCP tools as ordinary npm packages.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .option('--verbose', 'show the stack of an internal error')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      // `main` says what went wrong.
      outputError: () => {},
      getOutHelpWidth: () => widthOf(host.stdout),
      getErrHelpWidth: () => widthOf(host.stderr),
      getOutHasColors: () => host.color,
      getErrHasColors: () => host.color,
    });

  program
    .command('create')
    .summary('write a new extension')
    .description('Writes a minimal extension into a new folder. It validates clean and starts.')
    .argument('<folder>', 'the folder to make')
    .option('--ts', 'TypeScript sources, compiled by the extension itself')
    .option('--name <package name>', 'name of the npm package; made from the folder when absent')
    .option('--json', 'print what was written as JSON')
    .action(async (folder: string, { ts = false, name, json = false }) => {
      const { createCommand } = await import('./commands/create.js');
      answer(await createCommand({ folder, typescript: ts, name, json }, host));
    });

  program
    .command('validate')
    .alias('validate-extension')
    .summary('check extension packages')
    .description('Checks extension packages and reports what is wrong with them, each thing at its place.')
    .argument('[path...]', 'package folders', ['.'])
    .addOption(
      new Option('--format <format>', 'how to report')
        .choices(Object.keys(validateFormats))
        .default('pretty'),
    )
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .option('--strict', 'warnings fail too')
    .option('--no-load', 'never run code of the extension')
    .option('--boot', 'start each server and speak MCP to it')
    .option('--resolve', 'references to other packages must resolve')
    .option(
      '--rule <code=level>',
      'set a rule to off, warn or error; repeatable, comma-separated',
      collect,
      [],
    )
    .option('--timeout <seconds>', 'longest time a module may take to load', positiveSeconds, 10)
    .action(async (paths: string[], { json, format, rule, timeout, ...flags }) => {
      const input = {
        paths,
        format: json ? 'json' : format,
        strict: flags.strict ?? false,
        load: flags.load,
        boot: flags.boot ?? false,
        resolve: flags.resolve ?? false,
        ruleSettings: rule,
        timeoutMs: timeout * 1000,
      };
      requireConsent(input);
      const { validateCommand } = await import('./commands/validate.js');
      answer(await validateCommand(input, host));
    });

  program
    .command('explain')
    .summary('say what a diagnostic means')
    .description('Says what a diagnostic means and how to mend it. Without a code, lists all of them.')
    .argument('[code]', 'the code of a diagnostic, such as missing-definition')
    .option('--json', 'print as JSON')
    .action(async (code: string | undefined, { json = false }) => {
      const { explainCommand } = await import('./commands/explain.js');
      answer(await explainCommand({ code, json }, host));
    });

  program
    .command('show')
    .summary('show a server, package or item')
    .description('Shows everything known about a server, a package or an item. Handlers are not run.')
    .argument('<reference>', 'a path (./plugin, ./plugin/weather), a qualified name, or a built-in item')
    .argument('[property]', 'print this property alone')
    .option('--json', 'print as JSON')
    .action(async (reference: string, property: string | undefined, { json = false }) => {
      const { showCommand } = await import('./commands/show.js');
      answer(await showCommand({ reference, property, json }, host));
    });

  program
    .command('call')
    .summary('call one tool')
    .description('Calls one tool of a server and prints what it answers.')
    .argument('<server>', 'a path, a qualified name, or a built-in server')
    .argument('<tool>', 'the name of the tool')
    .argument('[json]', 'its arguments, a JSON object; - reads them from stdin', '{}')
    .option('--json', 'print the whole result as JSON')
    .action(async (server: string, tool: string, text: string, { json = false }) => {
      const { callCommand } = await import('./commands/call.js');
      answer(await callCommand({ server, tool, text, json }, host));
    });

  const start = program
    .command('start')
    .summary('serve a server')
    .description('Serves a server to an MCP client over stdio, until the client has gone.')
    .argument('[server]', 'a path, a qualified name, or a built-in server; else MCP_SERVER_NAME');
  for (const { flag, description } of startOptions) {
    if (!program.options.some(({ long }) => long === flag)) start.option(flag, description);
  }
  start.action(async (server: string | undefined, { strict = false }) => {
    const { startCommand } = await import('./commands/start.js');
    answer(await startCommand(startInput({ server, strict }), host));
  });

  return program;
}

/** Whoever forbids code to run must not have it run. @throws AgentToolsError `usage` */
function requireConsent({ load, boot }: { readonly load: boolean; readonly boot: boolean }): void {
  if (load || !boot) return;
  const message = '--boot runs code of the extension, and --no-load forbids that. Leave one of them out.';
  throw new AgentToolsError('usage', message);
}

/** How many columns a terminal has; 80 for anything else. */
function widthOf(output: Host['stdout']): number {
  return 'columns' in output && typeof output.columns === 'number' ? output.columns : 80;
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, ...value.split(',')];
}

function positiveSeconds(value: string): number {
  const seconds = Number(value);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new InvalidArgumentError('Expected a number of seconds above 0.');
}
