import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `delete-server`. */
export function defineDeleteServer(program: Command, { host, answer }: CommandContext): void {
  program
    .command('delete-server')
    .summary('delete a user server')
    .description('Removes a user server from all clients, and deletes it.')
    .argument('<name>', 'its name')
    .option('--dry-run', 'print what would go as a diff, and write nothing')
    .option('--force', 'take out entries that were edited by hand, too')
    .option('--json', 'print what was done as JSON')
    .action(async (name: string, { dryRun = false, force = false, json = false }) => {
      const { deleteServerCommand } = await import('./run.js');
      answer(await deleteServerCommand({ name, dryRun, force, json }, host));
    });
}
