import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `call`. */
export function defineCall(program: Command, { host, answer }: CommandContext): void {
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
      const { callCommand } = await import('./run.js');
      answer(await callCommand({ server, tool, text, autoInstall, json }, host));
    });
}
