import { type Command, Option } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';
import { pixels, portNumber, positiveSeconds } from '../../shared/grammar/option-values.js';

/** Adds `preview`. */
export function definePreview(program: Command, { host, answer, command }: CommandContext): void {
  const preview = program
    .command('preview')
    .summary('show an app as hosts do')
    .description(
      'Serves a page of this machine that shows the apps of a server, and runs the server behind it, until a signal comes.',
    );
  // A command after -- takes the place of the server.
  if (!command)
    preview.argument(
      '<path|server>',
      'a path, a qualified name, a built-in server or your own, or an existing MCP server: npm:name, https://…; left out before -- <command…>',
    );
  preview
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
    .option('--json', 'print the address and the apps, or the facts of the picture, as JSON');
  addInputOptions(preview).action(async (...given) => {
    const words: readonly (string | undefined)[] = command ? ['', ...given] : given;
    const [server = '', app] = words;
    const options = preview.opts();
    const { port, timeout, autoInstall, json = false, arguments: text } = options;
    const { parseJsonArguments } = await import('../../shared/json-arguments.js');
    const { previewCommand } = await import('./run.js');
    const input = {
      ...options,
      server,
      command,
      app,
      port,
      autoInstall,
      arguments: text === undefined ? undefined : parseJsonArguments(text),
      existing: serverInput(preview),
      timeoutMs: timeout * 1000,
      json,
    };
    answer(await previewCommand(input, host));
  });
}
