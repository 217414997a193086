import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { collect } from '../../shared/grammar/option-values.js';

/** Adds `add`. */
export function defineAdd(program: Command, { host, answer }: CommandContext): void {
  program
    .command('add')
    .summary('add extension packages')
    .description(
      'Installs extension packages into the package store, with npm. Runs no code and no install scripts of them.',
    )
    .argument('<spec...>', 'name, name@range, name@tag, ./folder or ./package.tgz')
    .option(
      '--yes',
      'allow settings of the project that send variables or change the route to registries, and versions that send more variables or have more rights than the added ones',
    )
    .option(
      '--allow-findings <code>',
      'allow texts with findings of this code of text/ rules; repeatable, comma-separated',
      collect,
      [],
    )
    .option('--require-provenance', 'refuse packages without a verified provenance')
    .option('--json', 'print what was added as JSON')
    .action(
      async (specs: string[], { allowFindings, requireProvenance = false, yes = false, json = false }) => {
        const { addCommand } = await import('./run.js');
        answer(await addCommand({ specs, allowFindings, requireProvenance, yes, json }, host));
      },
    );
}
