import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `explain`. */
export function defineExplain(program: Command, { host, answer }: CommandContext): void {
  program
    .command('explain')
    .summary('explain a diagnostic code')
    .description('Explains a diagnostic code and how to fix it. Without a code, lists all codes.')
    .argument('[code]', 'the code of a diagnostic, such as missing-definition')
    .option('--json', 'print as JSON')
    .action(async (code: string | undefined, { json = false }) => {
      const { explainCommand } = await import('./run.js');
      answer(await explainCommand({ code, json }, host));
    });
}
