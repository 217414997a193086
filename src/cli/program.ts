import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { AgentToolsError } from '../engine/errors.js';
import { packageVersion } from '../engine/folders.js';
import type { Host } from '../host.js';
import { ExitCode } from './exit-code.js';
import { placeInput, placeOptions, spellOutProject } from './place-arguments.js';
import { startInput, startOptions } from './start-arguments.js';
import { validateFormats } from './validate-formats.js';

/** Runs any command line by the whole grammar. @throws AgentToolsError `usage` if it does not fit. */
export async function runProgram(argv: readonly string[], host: Host): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.Ok;
  const program = createProgram(host, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(spellOutProject(argv), { from: 'user' });
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

  addPlace(
    program
      .command('install')
      .summary("write a server into a client's config")
      .description(
        'Writes a server into the config file of an MCP client, so that the client starts it. The server is started once before, and nothing else in the file is touched.',
      )
      .argument('[client]', 'a client of list-clients; falls away with --config and --all')
      .argument(
        '[server]',
        'a path, a qualified name, or a built-in server; else the extension in this folder',
      ),
  )
    .option('--name <key>', 'key of the entry; the server says it when absent')
    .option(
      '--env <name[=value]>',
      'set a variable for the server; without a value it is taken from here, as a secret; repeatable',
      append,
      [],
    )
    .option('--tool-option <tool.option=value>', 'set an option of a tool; repeatable', append, [])
    .option('--enable-mcp-apps', 'let the server show UI apps; the default')
    .option('--no-enable-mcp-apps', 'keep UI apps off')
    .option('--cwd <folder>', 'working directory of the server')
    .addOption(
      new Option(
        '--command <how>',
        'how the client runs agenttools: node by absolute paths, npx for files that are shared',
      )
        .choices(['node', 'npx'])
        .default('node'),
    )
    .option('--no-verify', 'do not start the server first')
    .option('--verify-timeout <seconds>', 'longest time the server may take to answer', positiveSeconds, 15)
    .option('--dry-run', 'print what would change as a diff, and write nothing')
    .option('--force', 'replace an entry of somebody else, or one that was edited by hand')
    .option('--json', 'print what was done as JSON')
    .action(async (first: string | undefined, second: string | undefined, options) => {
      const place = await placeInput([first, second], options);
      const { installCommand } = await import('./commands/install.js');
      answer(
        await installCommand(
          {
            ...place,
            name: options.name,
            env: options.env,
            toolOptions: options.toolOption,
            apps: options.enableMcpApps ?? true,
            cwd: options.cwd,
            by: options.command,
            verify: options.verify,
            verifyTimeoutMs: options.verifyTimeout * 1000,
            dryRun: options.dryRun ?? false,
            force: options.force ?? false,
            json: options.json ?? false,
          },
          host,
        ),
      );
    });

  addPlace(
    program
      .command('uninstall')
      .summary("take a server out of a client's config")
      .description('Takes out what install wrote, so that the file is as if it had never been there.')
      .argument('[client]', 'a client of list-clients; falls away with --config and --all')
      .argument('[server]', 'as install was given it, or its key; else everything that was installed there'),
  )
    .option('--name <key>', 'key of the entry')
    .option('--dry-run', 'print what would change as a diff, and write nothing')
    .option('--force', 'remove an entry of somebody else, or one that was edited by hand')
    .option('--json', 'print what was done as JSON')
    .action(async (first: string | undefined, second: string | undefined, options) => {
      const place = await placeInput([first, second], options);
      const { uninstallCommand } = await import('./commands/uninstall.js');
      const { name, dryRun = false, force = false, json = false } = options;
      answer(await uninstallCommand({ ...place, name, dryRun, force, json }, host));
    });

  program
    .command('list-clients')
    .summary('list the clients that install knows')
    .description('Lists the MCP clients that install knows, whether each is here, and its config files.')
    .option('--detected', 'only those that are here')
    .option('--json', 'print as JSON')
    .action(async ({ detected = false, json = false }) => {
      const { listClientsCommand } = await import('./commands/list-clients.js');
      answer(await listClientsCommand({ detected, json }, host));
    });

  program
    .command('list-installed')
    .summary('list what install wrote')
    .description('Lists what install wrote, where, and whether it still holds.')
    .option('--check', 'exit with 1 when anything is not intact')
    .option('--json', 'print as JSON')
    .action(async ({ check = false, json = false }) => {
      const { listInstalledCommand } = await import('./commands/list-installed.js');
      answer(await listInstalledCommand({ check, json }, host));
    });

  const start = program
    .command('start')
    .summary('serve a server')
    .description('Serves a server to an MCP client over stdio, until the client has gone.')
    .argument('[server]', 'a path, a qualified name, or a built-in server; else MCP_SERVER_NAME');
  for (const { flag, description } of startOptions) {
    if (!program.options.some(({ long }) => long === flag)) start.option(flag, description);
  }
  start.action(async (server: string | undefined, { strict = false, project = false }) => {
    const { startCommand } = await import('./commands/start.js');
    answer(await startCommand(startInput({ server, strict, project }), host));
  });

  return program;
}

function addPlace(command: Command): Command {
  for (const { flags, description } of placeOptions) command.option(flags, description);
  return command;
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

/** Values that may hold commas. */
function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, ...value.split(',')];
}

function positiveSeconds(value: string): number {
  const seconds = Number(value);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new InvalidArgumentError('Expected a number of seconds above 0.');
}
