import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';
import { refuseWithoutSource } from '../../shared/not-existing.js';

/** Adds `create`. */
export function defineCreate(program: Command, { host, answer, command }: CommandContext): void {
  const create = program
    .command('create')
    .summary('write a new extension')
    .description('Writes a minimal extension into a new folder. It validates clean and starts.')
    .argument('<folder>', 'the folder to make')
    .option('--ts', 'TypeScript sources, compiled by the extension itself')
    .option('--app', 'add a UI app that shows the result of the tool')
    .option('--name <package name>', 'name of the npm package; default: derived from the folder')
    .option(
      '--from <source>',
      'existing MCP servers to include: an npm package, mcp.json, server.json, a .mcpb bundle, or the folder of a plugin; left out before -- <command…>',
    )
    .option('--json', 'print what was written as JSON');
  addInputOptions(create).action(async (folder: string, options) => {
    const { ts = false, app = false, name, from, json = false } = options;
    const existing = serverInput(create);
    if (from === undefined && !command) {
      refuseWithoutSource(existing.flags);
      const { createCommand } = await import('./run.js');
      answer(await createCommand({ folder, typescript: ts, app, name, json }, host));
      return;
    }
    const { createFromCommand } = await import('./run-from.js');
    answer(
      await createFromCommand({ folder, typescript: ts, app, name, from, command, existing, json }, host),
    );
  });
}
