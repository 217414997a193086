import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { startInput, startOptions } from './arguments.js';
import { addHttpOptions, httpInput } from './http-grammar.js';

/** Adds `start`. */
export function defineStart(program: Command, { host, answer }: CommandContext): void {
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
      const { startHttpCommand } = await import('./http-run.js');
      answer(
        await startHttpCommand({ ...input, http: httpInput(options), json: options.json ?? false }, host),
      );
      return;
    }
    const { startCommand } = await import('./run.js');
    answer(await startCommand(input, host));
  });
}
