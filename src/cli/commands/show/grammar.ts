import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { registryOption } from '../../shared/grammar/registry-option.js';

/** Adds `show`. */
export function defineShow(program: Command, { host, answer }: CommandContext): void {
  program
    .command('show')
    .summary('show a server, package or item')
    .description('Shows everything known about a server, a package or an item. Handlers are not run.')
    .argument(
      '<reference>',
      'a path (./plugin, ./plugin/weather), a qualified name, a built-in item, or an MCP Registry entry',
    )
    .argument('[property]', 'print this property alone')
    .option(registryOption.flags, registryOption.description)
    .option('--tokens', 'count the tokens that the tools of a server need')
    .option('--as <client>', 'show the tools of a server as this client gets them')
    .option('--json', 'print as JSON')
    .action(
      async (
        reference: string,
        property: string | undefined,
        { mcpRegistry, tokens = false, as, json = false },
      ) => {
        const { showCommand } = await import('./run.js');
        answer(await showCommand({ reference, property, mcpRegistry, tokens, as, json }, host));
      },
    );
}
