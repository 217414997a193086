import { type Command, Option } from 'commander';
import type { CommandContext } from './command-context.js';

/** Adds the command that finds servers. */
export function addDiscoveryCommands(program: Command, { host, answer }: CommandContext): void {
  program
    .command('list-servers')
    .aliases(['list', 'ls'])
    .summary('list servers, here and in the registry')
    .description('Lists the servers there are. Nothing of them is run, and nothing is installed.')
    .argument('[pattern]', 'name of a server or package, in which * stands for anything')
    .option('--built-in', 'built-in servers, too')
    .option('--remote', 'those in the npm registry, too')
    .addOption(
      new Option('--refresh', 'ask the registry anew; the same as --remote otherwise').implies({
        remote: true,
      }),
    )
    .option('--json', 'print as JSON')
    .action(async (pattern: string | undefined, options) => {
      const { builtIn = false, remote = false, refresh = false, json = false } = options;
      const { listServersCommand } = await import('../commands/list-servers.js');
      answer(await listServersCommand({ pattern, builtIn, remote, refresh, json }, host));
    });
}
