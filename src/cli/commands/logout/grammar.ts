import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addInputOptions, serverInput } from '../../shared/grammar/existing-options.js';

/** Adds `logout`. */
export function defineLogout(program: Command, { host, answer }: CommandContext): void {
  const logout = program
    .command('logout')
    .summary('end the sign-in to a remote server')
    .description('Revokes the tokens of a sign-in, and deletes them from this machine.')
    .argument('<server>', 'the server, as login takes it')
    .option('--json', 'print the result as JSON');
  addInputOptions(logout).action(async (server: string) => {
    const { logoutCommand } = await import('./run.js');
    const { json = false } = logout.opts();
    answer(await logoutCommand({ server, existing: serverInput(logout), json }, host));
  });
}
