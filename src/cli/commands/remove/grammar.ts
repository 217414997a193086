import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `remove`. */
export function defineRemove(program: Command, { host, answer }: CommandContext): void {
  program
    .command('remove')
    .summary('remove added packages')
    .description('Removes packages that were added, with the dependencies that came with them.')
    .argument('<name...>', 'names of added packages')
    .option('--force', 'remove a package although a client, a server or another package needs it')
    .option('--json', 'print what was removed as JSON')
    .action(async (names: string[], { force = false, json = false }) => {
      const { removeCommand } = await import('./run.js');
      answer(await removeCommand({ names, force, json }, host));
    });
}
