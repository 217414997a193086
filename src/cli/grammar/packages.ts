import type { Command } from 'commander';
import type { CommandContext } from './command-context.js';

/** Adds the commands for extension packages in the package store. */
export function addPackageCommands(program: Command, { host, answer }: CommandContext): void {
  program
    .command('add')
    .summary('add extension packages')
    .description(
      'Gets extension packages by npm into the package folder of AgentTools, where every server is found. No code and no install script of them is run.',
    )
    .argument('<spec...>', 'name, name@range, name@tag, ./folder or ./package.tgz')
    .option('--json', 'print what was added as JSON')
    .action(async (specs: string[], { json = false }) => {
      const { addCommand } = await import('../commands/add.js');
      answer(await addCommand({ specs, json }, host));
    });

  program
    .command('remove')
    .summary('remove added packages')
    .description('Removes packages that were added, with the dependencies that came with them.')
    .argument('<name...>', 'names of added packages')
    .option('--force', 'remove a package although a client, a server or another package needs it')
    .option('--json', 'print what was removed as JSON')
    .action(async (names: string[], { force = false, json = false }) => {
      const { removeCommand } = await import('../commands/remove.js');
      answer(await removeCommand({ names, force, json }, host));
    });

  program
    .command('update')
    .summary('update added packages')
    .description(
      'Looks for newer versions of packages that were added, shows what they would change, and gets them.',
    )
    .argument('[name...]', 'names of added packages; else all of them')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--load', 'run code definitions, in processes of their own, to tell what they say')
    .option('--yes', 'do not ask, also where the model would see something else')
    .option('--json', 'print what would change or was changed as JSON')
    .action(async (names: string[], { dryRun = false, load = false, yes = false, json = false }) => {
      const { updateCommand } = await import('../commands/update.js');
      answer(await updateCommand({ names, dryRun, load, yes, json }, host));
    });
}
