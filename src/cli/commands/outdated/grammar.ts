import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { registryOption } from '../../shared/grammar/registry-option.js';

/** Adds `outdated`. */
export function defineOutdated(program: Command, { host, answer }: CommandContext): void {
  program
    .command('outdated')
    .summary('list newer versions of packages and servers')
    .description(
      'Compares added packages and installed existing servers with their registries. Installs and starts nothing.',
    )
    .option('--check', 'exit with 1 if something is outdated')
    .option(registryOption.flags, registryOption.description)
    .option('--json', 'print as JSON')
    .action(async ({ check = false, mcpRegistry, json = false }) => {
      const { outdatedCommand } = await import('./run.js');
      answer(await outdatedCommand({ check, mcpRegistry, json }, host));
    });
}
