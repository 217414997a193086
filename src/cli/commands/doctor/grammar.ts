import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { positiveSeconds } from '../../shared/grammar/option-values.js';

/** Adds `doctor`. */
export function defineDoctor(program: Command, { host, answer }: CommandContext): void {
  program
    .command('doctor')
    .summary('find and repair what is wrong with installed servers')
    .description(
      'Checks the config files of all MCP clients, what AgentTools installed, and the servers themselves. Changes nothing without --fix.',
    )
    .argument('[client]', 'client id from list-clients, or several: cursor,vscode; default: all')
    .option('--fix', 'repair everything that has one right answer')
    .option('--dry-run', 'print what --fix would change as a diff, and write nothing')
    .option(
      '--move-secrets',
      'with --fix: move secrets of entries that AgentTools did not write into the secret store, too',
    )
    .option('--start-foreign', 'start servers that AgentTools did not install, too')
    .option('--no-start', 'start no server')
    .option('--offline', 'do not ask npm registries for newer versions and vulnerabilities')
    .option('--verify-timeout <seconds>', 'longest time a server may take to answer', positiveSeconds, 15)
    .option('--json', 'print as JSON')
    .action(async (client: string | undefined, options) => {
      const { doctorCommand } = await import('./run.js');
      answer(
        await doctorCommand(
          {
            client,
            fix: options.fix ?? false,
            dryRun: options.dryRun ?? false,
            moveSecrets: options.moveSecrets ?? false,
            startForeign: options.startForeign ?? false,
            start: options.start,
            offline: options.offline ?? false,
            timeoutMs: options.verifyTimeout * 1000,
            json: options.json ?? false,
          },
          host,
        ),
      );
    });
}
