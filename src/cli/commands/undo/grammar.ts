import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { positiveCount } from '../../shared/grammar/option-values.js';

/** Adds `undo`. */
export function defineUndo(program: Command, { host, answer }: CommandContext): void {
  program
    .command('undo')
    .summary("take back the last changes of clients' config files")
    .description(
      'Takes back what the last commands changed in config files of clients. Files that nothing else has written to since get their former bytes; in others, only the entries are changed back.',
    )
    .argument('[n]', 'number of commands to take back', positiveCount, 1)
    .option('--redo', 'take back the last undo instead')
    .option('--dry-run', 'print what would change as a diff, and write nothing')
    .option('--force', 'also take back changes of entries that were edited since')
    .option('--json', 'print what was done as JSON')
    .action(async (count: number, { redo = false, dryRun = false, force = false, json = false }) => {
      const { undoCommand } = await import('./run.js');
      answer(await undoCommand({ count, redo, dryRun, force, json }, host));
    });
}
