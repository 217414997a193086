import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { collect } from '../../shared/grammar/option-values.js';

/** Adds `export`. */
export function defineExport(program: Command, { host, answer }: CommandContext): void {
  program
    .command('export')
    .summary('write the installed servers as a set for sync')
    .description(
      'Prints the servers that are installed in clients as a server set, which sync reads on this or another machine. Secrets become names.',
    )
    .argument('[keys...]', 'keys of the servers; default: all')
    .option('--from <clients>', 'servers of these clients; default: all; comma-separated', collect, [])
    .option('--foreign', 'include entries that AgentTools did not write')
    .option(
      '--project [folder]',
      "servers in the project's files, in this folder or the one given as --project=<folder>",
    )
    .option('--out <file>', 'write to this file instead of stdout')
    .option('--force', 'replace the file of --out')
    .action(async (keys: readonly string[], { from, foreign = false, project, out, force = false }) => {
      const { exportCommand } = await import('./run.js');
      answer(await exportCommand({ keys, from, foreign, project, out, force }, host));
    });
}
