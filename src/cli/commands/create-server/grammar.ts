import type { Command } from 'commander';
import { addChoiceOptions, choiceInput } from '../../shared/grammar/choice-options.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';
import { collect } from '../../shared/grammar/option-values.js';

/** Adds `create-server`. */
export function defineCreateServer(program: Command, { host, answer, command }: CommandContext): void {
  const create = program
    .command('create-server')
    .summary('create a user server')
    .description(
      'Creates a server from built-in items, items of packages and your own definitions. Other commands accept its bare name.',
    )
    .argument('<name>', 'its name: letters, digits, "_", "." and "-"')
    .option(
      '--tool <names>',
      'tools: built-in or qualified names; repeatable, comma-separated',
      collectNames,
      [],
    )
    .option('--prompt <names>', 'prompts, in the same form', collectNames, [])
    .option('--resource <names>', 'resources, in the same form', collectNames, [])
    .option('--app <names>', 'UI apps, in the same form', collectNames, [])
    .option('--skill <names>', 'skills of packages, by qualified names', collectNames, [])
    .option('--title <text>', 'name for people')
    .option('--description <text>', 'what it offers')
    .option('--instructions <text>', 'how to use it, for the model')
    .option(
      '--from <source>',
      'a definition in JSON, with changed or new items; - reads stdin; or an existing MCP server: npm:name, https://…, mcp.json#name, a .mcpb bundle; left out before -- <command…>',
    )
    .option('--verify', 'start or reach its existing servers, and check the names of their items')
    .option('--overwrite', 'replace a server of that name')
    .option('--json', 'print what was made as JSON');
  addChoiceOptions(addInputOptions(create)).action(async (name: string, options) => {
    const { createServerCommand } = await import('./run.js');
    answer(
      await createServerCommand(
        {
          name,
          tools: options.tool,
          prompts: options.prompt,
          resources: options.resource,
          apps: options.app,
          skills: options.skill,
          title: options.title,
          description: options.description,
          instructions: options.instructions,
          from: options.from,
          command,
          existing: serverInput(create),
          choices: choiceInput(options),
          verify: options.verify ?? false,
          overwrite: options.overwrite ?? false,
          json: options.json ?? false,
        },
        host,
      ),
    );
  });
}

function collectNames(value: string, before: readonly string[]): readonly string[] {
  return collect(value, before)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
