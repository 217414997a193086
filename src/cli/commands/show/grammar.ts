import type { Command } from 'commander';
import { readAdapt } from '../../../engine/runtime/adapt.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { registryOption } from '../../shared/grammar/registry-option.js';

/** Adds `show`. */
export function defineShow(program: Command, { host, answer, command }: CommandContext): void {
  const show = program
    .command('show')
    .summary('show a server, package or item')
    .description('Shows everything known about a server, a package or an item. Handlers are not run.');
  // A command after -- takes the place of the reference.
  if (!command)
    show.argument(
      '<reference>',
      'a path (./plugin, ./plugin/weather), a qualified name, a built-in item, an existing MCP server or an MCP Registry entry; left out before -- <command…>',
    );
  show
    .argument('[property]', 'print this property alone')
    .option(registryOption.flags, registryOption.description)
    .option('--tokens', 'count the tokens that the tools of a server need')
    .option('--as <client>', 'show the tools of a server as this client gets them')
    .option('--client <client>', 'with the property config: the client to print a config entry for')
    .option('--adapt [mode]', 'with --as: the adaptation of the tools; default: the choice of the server')
    .option('--json', 'print as JSON')
    .action(async () => {
      const [reference = '', property] = command ? ['', ...show.args] : show.args;
      const { mcpRegistry, tokens = false, as, client, json = false, ...options } = show.opts();
      const adapt = readAdapt(options.adapt);
      const { showCommand } = await import('./run.js');
      const input = { reference, command, property, mcpRegistry, tokens, as, client, adapt, json };
      answer(await showCommand(input, host));
    });
}
