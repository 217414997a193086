import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';

/** Adds `secret`. */
export function defineSecret(program: Command, { host, answer }: CommandContext): void {
  const secret = program
    .command('secret')
    .summary('keep secrets out of config files')
    .description(
      'Keeps values that entries refer to by name: install … --env API_KEY=secret:API_KEY. Only AgentTools reads them.',
    );
  secret
    .command('set')
    .summary('store a value')
    .description('Stores a value, which is asked for on a terminal, or read from stdin. Never an argument.')
    .argument('<name>', 'letters, digits, ".", "-" and "_"')
    .action(async (name: string) => {
      const { setSecretCommand } = await import('./run.js');
      answer(await setSecretCommand(name, host));
    });
  secret
    .command('list')
    .summary('list names, never values')
    .description('Lists the names of the secrets, where they are kept, and the entries that use them.')
    .option('--json', 'print as JSON')
    .action(async ({ json = false }) => {
      const { listSecretsCommand } = await import('./run.js');
      answer(await listSecretsCommand({ json }, host));
    });
  secret
    .command('remove')
    .summary('delete a value')
    .description('Deletes a secret, and names the entries that still refer to it.')
    .argument('<name>', 'its name')
    .action(async (name: string) => {
      const { removeSecretCommand } = await import('./run.js');
      answer(await removeSecretCommand(name, host));
    });
}
