import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `show`. */
export function defineShow(program: Command, { host, answer }: CommandContext): void {
  program
    .command('show')
    .summary('show a server, package or item')
    .description('Shows everything known about a server, a package or an item. Handlers are not run.')
    .argument('<reference>', 'a path (./plugin, ./plugin/weather), a qualified name, or a built-in item')
    .argument('[property]', 'print this property alone')
    .option('--json', 'print as JSON')
    .action(async (reference: string, property: string | undefined, { json = false }) => {
      const { showCommand } = await import('./run.js');
      answer(await showCommand({ reference, property, json }, host));
    });
}
