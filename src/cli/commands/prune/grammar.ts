import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `prune`. */
export function definePrune(program: Command, { host, answer }: CommandContext): void {
  program
    .command('prune')
    .summary('free the disk space of unused packages and servers')
    .description(
      'Removes previous versions of added packages, and existing servers that no entry and no user server starts.',
    )
    .option('--dry-run', 'show what would be removed, and remove nothing')
    .option('--json', 'print as JSON')
    .action(async ({ dryRun = false, json = false }) => {
      const { pruneCommand } = await import('./run.js');
      answer(await pruneCommand({ dryRun, json }, host));
    });
}
