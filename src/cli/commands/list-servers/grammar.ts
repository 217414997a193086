import { type Command, Option } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { registryOption } from '../../shared/grammar/registry-option.js';

/** Adds `list-servers`. */
export function defineListServers(program: Command, { host, answer }: CommandContext): void {
  program
    .command('list-servers')
    .aliases(['list', 'ls'])
    .summary('list installed and published servers')
    .description('Lists available servers. Runs and installs nothing.')
    .argument('[pattern]', 'name of a server or package; * matches any characters')
    .option('--built-in', 'also list built-in servers')
    .option('--remote', 'also list servers of the npm registry and the MCP Registry')
    .addOption(
      new Option('--refresh', 'like --remote, but ignore cached results').implies({
        remote: true,
      }),
    )
    .option(registryOption.flags, registryOption.description)
    .option('--json', 'print as JSON')
    .action(async (pattern: string | undefined, options) => {
      const { builtIn = false, remote = false, refresh = false, mcpRegistry, json = false } = options;
      const { listServersCommand } = await import('./run.js');
      answer(await listServersCommand({ pattern, builtIn, remote, refresh, mcpRegistry, json }, host));
    });
}
