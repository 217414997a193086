import { type Command, Option } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { pixels, portNumber, positiveSeconds } from '../../shared/grammar/option-values.js';

/** Adds `preview`. */
export function definePreview(program: Command, { host, answer }: CommandContext): void {
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
      const { previewCommand } = await import('./run.js');
      const args = options.arguments === undefined ? undefined : parseJsonArguments(options.arguments);
      const { json = false } = options;
      const input = { ...options, server, app, arguments: args, timeoutMs: timeout * 1000, json };
      answer(await previewCommand(input, host));
    });
}
