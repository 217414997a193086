import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { collect } from '../../shared/grammar/option-values.js';

/** Adds `update`. */
export function defineUpdate(program: Command, { host, answer }: CommandContext): void {
  program
    .command('update')
    .summary('update packages and existing servers')
    .description(
      'Finds newer versions of added packages and of installed existing servers, shows their changes and installs them.',
    )
    .argument('[name...]', 'names of added packages, keys or references of servers; else all of them')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--load', 'run code definitions in separate processes, to compare their values')
    .option('--yes', 'skip the confirmation, even for changes that the model can see')
    .option(
      '--allow-findings <code>',
      'allow texts with findings of this code of text/ rules; repeatable, comma-separated',
      collect,
      [],
    )
    .option('--require-provenance', 'refuse versions without a verified provenance')
    .option('--json', 'print what would change or was changed as JSON')
    .action(
      async (
        names: string[],
        { dryRun = false, load = false, yes = false, allowFindings, requireProvenance = false, json = false },
      ) => {
        const { updateCommand } = await import('./run.js');
        answer(
          await updateCommand({ names, dryRun, load, yes, allowFindings, requireProvenance, json }, host),
        );
      },
    );
}
