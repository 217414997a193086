import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { portNumber } from '../../shared/grammar/option-values.js';

/** Adds `dev`. */
export function defineDev(program: Command, { host, answer }: CommandContext): void {
  const dev = program
    .command('dev')
    .summary('serve an extension, and its changes as you save them')
    .description(
      'Serves a server from its files as they change. Clients stay connected. Over stdio if stdin is a pipe, else over HTTP.',
    )
    .argument('[path|server]', 'a path, a qualified name or your own server', '.')
    .option('--http', 'serve over HTTP, also if stdin is a pipe')
    .option('--stdio', 'serve over stdio, also if stdin is not a pipe')
    .option('--port <number>', 'port of HTTP; 0 for any free port', portNumber, 3000)
    .option('--page', 'serve the page over stdio, too')
    .option('--no-page', 'serve no page over HTTP')
    .option('--page-port <number>', 'port of the page; 0 for any free port', portNumber, 0)
    .option('--inspect [port]', 'open a debugger port in the extension host; default: 9229', portNumber)
    .option('--inspect-brk [port]', 'the same, and wait for a debugger before code loads', portNumber)
    .option('--no-build', 'do not run the "build" script of the package')
    .option('--project', 'look in the project at the working directory first, as in start')
    .option('--no-auto-install', 'do not install missing packages')
    .option('--json', 'print the addresses as JSON');
  dev.action(async (server: string) => {
    const { http = false, stdio = false, project = false, json = false, ...options } = dev.opts();
    const { devCommand } = await import('./run.js');
    answer(await devCommand({ ...options, server, http, stdio, project, json } as never, host));
  });
}
