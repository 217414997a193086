import { type Command, Option, type OptionValues } from 'commander';
import type { InputOptions } from '../existing.js';
import { collectVerbatim } from './option-values.js';
import { registryOption } from './registry-option.js';

/** Adds the options that give the inputs of an existing server. */
export function addInputOptions(command: Command): Command {
  return command
    .option('--env <name[=value]>', 'existing server: set a variable; repeatable', collectVerbatim, [])
    .option(
      '--arg <value>',
      'existing server: set an input (name=value), or add an argument; repeatable',
      collectVerbatim,
      [],
    )
    .option('--header <name: value>', 'existing server: send a header to it; repeatable', collectVerbatim, [])
    .addOption(
      new Option(
        '--transport <name>',
        'existing server: its transport; default: found out by asking',
      ).choices(['http', 'sse']),
    )
    .option(registryOption.flags, registryOption.description);
}

/** The inputs that the options of {@link addInputOptions} give. */
export function serverInput(options: OptionValues): InputOptions {
  const { env, arg: args, header: headers, transport, mcpRegistry } = options;
  return { env, args, headers, transport, mcpRegistry };
}
