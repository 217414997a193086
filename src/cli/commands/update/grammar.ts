import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds the commands for extension packages in the package store. */
export function addPackageCommands(program: Command, { host, answer }: CommandContext): void {
  program
    .command('add')
    .summary('add extension packages')
    .description(
      'Installs extension packages into the package store, with npm. Runs no code and no install scripts of them.',
    )
    .argument('<spec...>', 'name, name@range, name@tag, ./folder or ./package.tgz')
    .option('--json', 'print what was added as JSON')
    .action(async (specs: string[], { json = false }) => {
      const { addCommand } = await import('../add/run.js');
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
      const { removeCommand } = await import('../remove/run.js');
      answer(await removeCommand({ names, force, json }, host));
    });

  program
    .command('update')
    .summary('update added packages')
    .description('Finds newer versions of added packages, shows their changes and installs them.')
    .argument('[name...]', 'names of added packages; else all of them')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--load', 'run code definitions in separate processes, to compare their values')
    .option('--yes', 'skip the confirmation, even for changes that the model can see')
    .option('--json', 'print what would change or was changed as JSON')
    .action(async (names: string[], { dryRun = false, load = false, yes = false, json = false }) => {
      const { updateCommand } = await import('./run.js');
      answer(await updateCommand({ names, dryRun, load, yes, json }, host));
    });
}
