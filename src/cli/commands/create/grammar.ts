import { type Command, Option } from 'commander';
import { templates } from '../../../engine/create/templates.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';
import { refuseWithoutSource } from '../../shared/not-existing.js';

/** `tool (a tool and a prompt), zod (…)`. */
function describeTemplates(): string {
  return Object.entries(templates)
    .map(([name, { summary }]) => `${name} (${summary})`)
    .join(', ');
}

/** Adds `create`. */
export function defineCreate(program: Command, { host, answer, command }: CommandContext): void {
  const create = program
    .command('create')
    .summary('write a new extension')
    .description('Writes a minimal extension into a new folder. It validates clean and starts.')
    .argument('<folder>', 'the folder to make')
    .addOption(
      new Option(
        '--ts',
        'TypeScript sources, compiled by the extension itself; default if a tsconfig.json is near',
      ).conflicts('js'),
    )
    .option('--js', 'JavaScript; the default otherwise')
    .addOption(
      new Option('--template <name>', `kind of extension: ${describeTemplates()}; default: tool`).choices(
        Object.keys(templates),
      ),
    )
    .option('--app', 'the same as --template app')
    .option('--name <package name>', 'name of the npm package; default: derived from the folder')
    .option(
      '--from <source>',
      'existing MCP servers to include: an npm package, mcp.json, server.json, a .mcpb bundle, or the folder of a plugin; left out before -- <command…>',
    )
    .option('--json', 'print what was written as JSON');
  addInputOptions(create).action(async (folder: string, options) => {
    const { ts, js, app, name, from, json = false } = options;
    const template = app ? 'app' : options.template;
    const existing = serverInput(create);
    if (from === undefined && !command) {
      refuseWithoutSource(existing.flags);
      const { createCommand } = await import('./run.js');
      answer(
        await createCommand(
          { folder, language: ts ? 'typescript' : js && 'javascript', template, name, json },
          host,
        ),
      );
      return;
    }
    const { createFromCommand } = await import('./run-from.js');
    answer(
      await createFromCommand(
        { folder, isOwnTool: Boolean(ts || js || template), name, from, command, existing, json },
        host,
      ),
    );
  });
}
