import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `list-clients`. */
export function defineListClients(program: Command, { host, answer }: CommandContext): void {
  program
    .command('list-clients')
    .summary('list the clients that install knows')
    .description('Lists the MCP clients that install supports, with their state and config files.')
    .option('--detected', 'only installed clients')
    .option('--limits', 'limits of clients and model APIs for tools')
    .option('--json', 'print as JSON')
    .action(async ({ detected = false, limits = false, json = false }) => {
      const { listClientsCommand } = await import('./run.js');
      answer(await listClientsCommand({ detected, limits, json }, host));
    });
}
