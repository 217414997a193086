import { type Command, Option } from 'commander';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { collect, pixels, portNumber, positiveSeconds } from '../../shared/grammar/option-values.js';
import { validateFormats } from './formats.js';

/** Adds the commands for authors of extensions. */
export function addExtensionCommands(program: Command, { host, answer }: CommandContext): void {
  program
    .command('create')
    .summary('write a new extension')
    .description('Writes a minimal extension into a new folder. It validates clean and starts.')
    .argument('<folder>', 'the folder to make')
    .option('--ts', 'TypeScript sources, compiled by the extension itself')
    .option('--app', 'add a UI app that shows the result of the tool')
    .option('--name <package name>', 'name of the npm package; default: derived from the folder')
    .option('--json', 'print what was written as JSON')
    .action(async (folder: string, { ts = false, app = false, name, json = false }) => {
      const { createCommand } = await import('../create/run.js');
      answer(await createCommand({ folder, typescript: ts, app, name, json }, host));
    });

  program
    .command('validate')
    .alias('validate-extension')
    .summary('check extension packages')
    .description('Checks extension packages and reports each problem with its location.')
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
      const { validateCommand } = await import('./run.js');
      answer(await validateCommand(input, host));
    });

  program
    .command('preview')
    .summary('show an app as hosts do')
    .description(
      'Serves a page of this machine that shows the apps of a server, and runs the server behind it, until a signal comes.',
    )
    .argument('<path|server>', 'a path, a qualified name, or a built-in server or your own')
    .argument('[app]', 'the app to show first, by name or ui:// address')
    .option('--tool <name>', 'call this tool at once, and show the result in its app')
    .option('--arguments <json>', 'its arguments, a JSON object')
    .addOption(new Option('--theme <theme>', 'colours').choices(['light', 'dark']))
    .option('--width <pixels>', 'width of the app', pixels)
    .option('--height <pixels>', 'height of the picture; default: height of the app', pixels)
    .option('--port <number>', 'port of the page; 0 for any free port', portNumber, 0)
    .option('--screenshot <file>', 'write a picture of the app (PNG) instead of serving a page')
    .option('--timeout <seconds>', 'longest time the server may take to answer', positiveSeconds, 30)
    .option('--no-auto-install', 'do not install missing packages')
    .option('--json', 'print the address and the apps, or the facts of the picture, as JSON')
    .action(async (server: string, app: string | undefined, { timeout, ...options }) => {
      const { parseJsonArguments } = await import('../../shared/json-arguments.js');
      const { previewCommand } = await import('../preview/run.js');
      const args = options.arguments === undefined ? undefined : parseJsonArguments(options.arguments);
      const { json = false } = options;
      const input = { ...options, server, app, arguments: args, timeoutMs: timeout * 1000, json };
      answer(await previewCommand(input, host));
    });

  program
    .command('derive')
    .summary('derive schemas from types')
    .description(
      "Derives schemas, titles, descriptions and hints of tools from the types and doc comments of their functions, by the package's own TypeScript.",
    )
    .argument('[path]', 'the folder of a package', '.')
    .option('--check', 'write nothing, and fail if what is written is stale')
    .option('--timeout <seconds>', 'longest time for reading types', positiveSeconds, 60)
    .option('--json', 'print what was derived as JSON')
    .action(async (directory: string, { check = false, timeout, json = false }) => {
      const { deriveCommand } = await import('../derive/run.js');
      answer(await deriveCommand({ directory, check, timeoutMs: timeout * 1000, json }, host));
    });

  program
    .command('explain')
    .summary('explain a diagnostic code')
    .description('Explains a diagnostic code and how to fix it. Without a code, lists all codes.')
    .argument('[code]', 'the code of a diagnostic, such as missing-definition')
    .option('--json', 'print as JSON')
    .action(async (code: string | undefined, { json = false }) => {
      const { explainCommand } = await import('../explain/run.js');
      answer(await explainCommand({ code, json }, host));
    });
}

/** Rejects `--no-load` together with `--boot`, which runs code. @throws AgentToolsError `usage` */
function requireConsent({ load, boot }: { readonly load: boolean; readonly boot: boolean }): void {
  if (load || !boot) return;
  const message = '--boot runs code of the extension, and --no-load forbids that. Leave one of them out.';
  throw new AgentToolsError('usage', message);
}
