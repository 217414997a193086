import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `history`. */
export function defineHistory(program: Command, { host, answer }: CommandContext): void {
  program
    .command('history')
    .summary("list the changes of clients' config files")
    .description(
      'Lists the commands that changed config files of clients, the last one first: at most the last 100. Take changes back with undo.',
    )
    .option('--json', 'print as JSON')
    .action(async ({ json = false }) => {
      const { historyCommand } = await import('./run.js');
      answer(await historyCommand({ json }, host));
    });
}
