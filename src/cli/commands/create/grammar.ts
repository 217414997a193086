import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `create`. */
export function defineCreate(program: Command, { host, answer }: CommandContext): void {
  program
    .command('create')
    .summary('write a new extension')
    .description('Writes a minimal extension into a new folder. It validates clean and starts.')
    .argument('<folder>', 'the folder to make')
    .option('--ts', 'TypeScript sources, compiled by the extension itself')
    .option('--app', 'add a UI app that shows the result of the tool')
    .option('--name <package name>', 'name of the npm package; default: derived from the folder')
    .option('--json', 'print what was written as JSON')
    .action(async (folder: string, { ts = false, app = false, name, json = false }) => {
      const { createCommand } = await import('./run.js');
      answer(await createCommand({ folder, typescript: ts, app, name, json }, host));
    });
}
