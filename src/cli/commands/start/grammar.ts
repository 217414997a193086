import type { Command } from 'commander';
import { readAdapt } from '../../../engine/runtime/adapt.js';
import { addChoiceOptions, choiceInput } from '../../shared/grammar/choice-options.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import {
  addInputOptions,
  repeatableExistingOption,
  serverInput,
} from '../../shared/grammar/existing-options.js';
import { addSandboxOptions, sandboxInput } from '../../shared/grammar/sandbox-options.js';
import { type ExistingInput, frozenExtent, startInput, startOptions } from './arguments.js';
import { addHttpOptions, httpInput } from './http-grammar.js';

/** Adds `start`. */
export function defineStart(program: Command, { host, answer, command }: CommandContext): void {
  const start = program
    .command('start')
    .summary('serve a server')
    .description(
      'Serves a server to an MCP client over stdio, until the client has gone; with --http to any number of clients, until a signal.',
    )
    .argument(
      '[server]',
      'a path, a qualified name, a built-in server or your own, or any existing MCP server: npm:name, https://…, -- <command…>; else MCP_SERVER_NAME',
    );
  for (const { flag, value, description } of startOptions) {
    if (program.options.some(({ long }) => long === flag)) continue;
    start.option(value ? `${flag} ${value}` : flag, description);
  }
  addSandboxOptions(start);
  addExistingOptions(start);
  addHttpOptions(start);
  start.action(async (server: string | undefined, options) => {
    const {
      strict = false,
      project = false,
      autoInstall = true,
      frozen = false,
      frozenServer = false,
      inProcess = false,
      http = false,
    } = options;
    const existing = existingInput(start);
    const input = startInput({
      server: command && command.length < 2 && server === undefined ? command[0] : server,
      ...(command && command.length > 1 && { command }),
      ...(existing && { existing }),
      strict,
      project,
      autoInstall,
      frozen: frozenExtent({ frozen, frozenServer }),
      inProcess,
      sandbox: sandboxInput(options),
      adapt: readAdapt(options.adapt),
    });
    if (http) {
      const { startHttpCommand } = await import('./http-run.js');
      answer(
        await startHttpCommand({ ...input, http: httpInput(options), json: options.json ?? false }, host),
      );
      return;
    }
    const { startCommand } = await import('./run.js');
    answer(await startCommand(input, host));
  });
}

function addExistingOptions(start: Command): void {
  addInputOptions(start)
    .addOption(
      repeatableExistingOption('--arg-env <name=variable>', 'set an input to the value of a variable'),
    )
    .addOption(
      repeatableExistingOption('--header-env <name=variable>', 'send a header with the value of a variable'),
    );
  addChoiceOptions(start);
}

/** Undefined without any option for existing servers. */
function existingInput(start: Command): ExistingInput | undefined {
  const { argEnv: argVariables, headerEnv: headerVariables } = start.opts();
  const input = serverInput(start);
  if (input.flags.length === 0 && input.mcpRegistry === undefined) return undefined;
  return { ...input, argVariables, headerVariables, choices: choiceInput(start.opts()) };
}
