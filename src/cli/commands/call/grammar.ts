import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';

/** Adds `call`. */
export function defineCall(program: Command, { host, answer, command }: CommandContext): void {
  const call = program
    .command('call')
    .summary('call one tool, or list the tools')
    .description('Calls one tool of a server and prints what it answers. Without a tool, lists the tools.');
  // A command after -- takes the place of the server.
  if (!command)
    call.argument(
      '<server>',
      'a path, a qualified name, a built-in server or your own, or an existing MCP server: npm:name, https://…; left out before -- <command…>',
    );
  call
    .argument('[tool]', 'the name of the tool; default: list the tools')
    .argument(
      '[arguments...]',
      'its arguments: name=value for each, or one JSON object; - reads the object from stdin',
    )
    .option('--no-auto-install', 'do not install missing packages')
    .option('--json', 'print the whole result, or the tools, as JSON');
  addInputOptions(call).action(async () => {
    const [server = '', tool, ...args] = command ? ['', ...call.args] : call.args;
    const { autoInstall, json = false } = call.opts();
    const { callCommand } = await import('./run.js');
    const existing = serverInput(call);
    answer(await callCommand({ server, command, tool, args, existing, autoInstall, json }, host));
  });
}
