import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { startInput, startOptions } from './arguments.js';
import { addHttpOptions, httpInput } from './http-grammar.js';

/** Adds the commands that show, call and start servers. */
export function addServerCommands(program: Command, { host, answer }: CommandContext): void {
  program
    .command('show')
    .summary('show a server, package or item')
    .description('Shows everything known about a server, a package or an item. Handlers are not run.')
    .argument('<reference>', 'a path (./plugin, ./plugin/weather), a qualified name, or a built-in item')
    .argument('[property]', 'print this property alone')
    .option('--json', 'print as JSON')
    .action(async (reference: string, property: string | undefined, { json = false }) => {
      const { showCommand } = await import('../show/run.js');
      answer(await showCommand({ reference, property, json }, host));
    });

  program
    .command('call')
    .summary('call one tool')
    .description('Calls one tool of a server and prints what it answers.')
    .argument('<server>', 'a path, a qualified name, or a built-in server or your own')
    .argument('<tool>', 'the name of the tool')
    .argument('[json]', 'its arguments, a JSON object; - reads them from stdin', '{}')
    .option('--no-auto-install', 'do not install missing packages')
    .option('--json', 'print the whole result as JSON')
    .action(async (server: string, tool: string, text: string, { autoInstall, json = false }) => {
      const { callCommand } = await import('../call/run.js');
      answer(await callCommand({ server, tool, text, autoInstall, json }, host));
    });

  const start = program
    .command('start')
    .summary('serve a server')
    .description(
      'Serves a server to an MCP client over stdio, until the client has gone; with --http to any number of clients, until a signal.',
    )
    .argument('[server]', 'a path, a qualified name, or a built-in server or your own; else MCP_SERVER_NAME');
  for (const { flag, description } of startOptions) {
    if (!program.options.some(({ long }) => long === flag)) start.option(flag, description);
  }
  addHttpOptions(start);
  start.action(async (server: string | undefined, options) => {
    const {
      strict = false,
      project = false,
      autoInstall = true,
      frozen = false,
      inProcess = false,
      http = false,
    } = options;
    const input = startInput({ server, strict, project, autoInstall, frozen, inProcess });
    if (http) {
      const { startHttpCommand } = await import('./run-http.js');
      answer(
        await startHttpCommand({ ...input, http: httpInput(options), json: options.json ?? false }, host),
      );
      return;
    }
    const { startCommand } = await import('./run.js');
    answer(await startCommand(input, host));
  });
}
