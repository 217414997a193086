import { Argument, type Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { shells } from './shells.js';

/** Adds `completion`. */
export function defineCompletion(program: Command, { host, answer }: CommandContext): void {
  program
    .command('completion')
    .summary('print a script that completes command lines')
    .description(
      'Prints a script for your shell, which then completes commands, options, clients, servers and tools.',
    )
    .addArgument(
      new Argument('<shell>', 'bash, zsh, fish or powershell; suggest prints candidates').choices(shells),
    )
    .argument('[words...]', 'suggest: the words before the one to complete')
    .option('--word <text>', 'suggest: the word to complete', '')
    .action(async (shell: (typeof shells)[number], words: string[], { word }) => {
      const { completionCommand } = await import('./run.js');
      answer(await completionCommand({ shell, words, word, program }, host));
    });
}
