import type { Command } from 'commander';
import { AgentToolsError } from '../../../engine/base/errors.js';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { addPlaceOptions, placeInput } from '../../shared/grammar/target-options.js';

/** Adds `uninstall`. */
export function defineUninstall(program: Command, { host, answer, command }: CommandContext): void {
  addPlaceOptions(
    program
      .command('uninstall')
      .summary("remove a server from a client's config")
      .description(
        'Removes the entries that install wrote and restores the original bytes of the file. Without arguments, asks at a terminal for the entries.',
      )
      .argument(
        '[client]',
        'client id from list-clients, or several: cursor,vscode; omit it with --config or --all',
      )
      .argument(
        '[server]',
        'server as given to install, or its entry key; -- <command…>; else all entries that install wrote there',
      ),
  )
    .option('--name <key>', 'key of the entry')
    .option('--dry-run', 'print what would change as a diff, and write nothing')
    .option('--force', 'remove an entry that another program wrote, or that was edited by hand')
    .option('--json', 'print what was done as JSON')
    .option('--everything', 'all entries of all clients and projects, and the data of AgentTools')
    .option('--yes', 'skip the confirmation of --everything')
    .action(async (first: string | undefined, second: string | undefined, options) => {
      if (options.everything) {
        if (first !== undefined || options.all || options.config || options.project || command)
          throw new AgentToolsError('usage', '--everything takes no client, no server and no file.');
        const { uninstallEverything } = await import('./everything.js');
        const { dryRun = false, force = false, yes = false, json = false } = options;
        return answer(await uninstallEverything({ dryRun, force, yes, json }, host));
      }
      const { name, dryRun = false, force = false, json = false } = options;
      const { pickIfOpen, uninstallCommand } = await import('./run.js');
      const isOpen = [first, options.config, options.all, options.project, name, command].every(
        (one) => !one,
      );
      const picked = isOpen ? await pickIfOpen({ dryRun, force, json }, host) : undefined;
      if (picked !== undefined) return answer(picked);
      const place = await placeInput([first, second], options, host);
      answer(await uninstallCommand({ ...place, command, name, dryRun, force, json }, host));
    });
}
