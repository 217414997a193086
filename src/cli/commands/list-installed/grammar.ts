import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `list-installed`. */
export function defineListInstalled(program: Command, { host, answer }: CommandContext): void {
  program
    .command('list-installed')
    .summary('list what install wrote')
    .description('Lists the entries that install wrote, with their files and state.')
    .option(
      '--project [folder]',
      'only entries in config files of this project: this folder, or --project=<folder>',
    )
    .option('--check', 'exit with 1 when anything is not intact')
    .option('--json', 'print as JSON')
    .action(async ({ project, check = false, json = false }) => {
      const { listInstalledCommand } = await import('./run.js');
      answer(await listInstalledCommand({ project, check, json }, host));
    });
}
