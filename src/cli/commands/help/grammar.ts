import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `help`. */
export function defineHelp(program: Command, { host, answer }: CommandContext): void {
  program
    .command('help')
    .summary('show a page of the documentation')
    .description(
      'Shows a page of the documentation: of a command, a topic or a diagnostic code. Without a topic, shows the commands and lists the topics.',
    )
    .argument('[topic]', 'a command, a topic such as existing-servers, or a diagnostic code')
    .action(async (topic: string | undefined) => {
      const { helpCommand } = await import('./run.js');
      answer(await helpCommand({ topic, program }, host));
    });
}
