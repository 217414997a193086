import { type Command, Option } from 'commander';
import type { InputOptions } from '../existing.js';
import { collectVerbatim } from './option-values.js';
import { registryOption } from './registry-option.js';

/** Options that only existing servers take. */
const forExisting = new WeakSet<Option>();

/** An option that only existing servers take. */
export function existingOption(flags: string, description: string): Option {
  const option = new Option(flags, `existing server: ${description}`);
  forExisting.add(option);
  return option;
}

/** Its words, without commas as separators. */
export function repeatableExistingOption(flags: string, description: string): Option {
  return existingOption(flags, `${description}; repeatable`).argParser(collectVerbatim).default([]);
}

/** Options of the command line that only existing servers take, such as `--only`. */
function givenExistingFlags(command: Command): readonly string[] {
  const given = command.options.filter(
    (option) => forExisting.has(option) && command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  return given.map(({ long }) => long!);
}

/** Adds the options that give the inputs of an existing server. */
export function addInputOptions(command: Command): Command {
  return command
    .addOption(repeatableExistingOption('--env <name[=value]>', 'set a variable'))
    .addOption(repeatableExistingOption('--arg <value>', 'set an input (name=value), or add an argument'))
    .addOption(repeatableExistingOption('--header <name: value>', 'send a header to it'))
    .addOption(
      existingOption('--transport <name>', 'its transport; default: found out by asking').choices([
        'http',
        'sse',
      ]),
    )
    .option(registryOption.flags, registryOption.description);
}

/** The inputs that the options of {@link addInputOptions} give. */
export function serverInput(command: Command): InputOptions {
  const { env, arg: args, header: headers, transport, mcpRegistry } = command.opts();
  return { env, args, headers, transport, mcpRegistry, flags: givenExistingFlags(command) };
}
