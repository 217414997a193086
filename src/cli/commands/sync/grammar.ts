import type { Command } from 'commander';
import type { CommandContext } from '../../shared/grammar/command-context.js';
import { collect, positiveSeconds } from '../../shared/grammar/option-values.js';
import { registryOption } from '../../shared/grammar/registry-option.js';

/** Adds `sync`. */
export function defineSync(program: Command, { host, answer }: CommandContext): void {
  program
    .command('sync')
    .summary('keep the same servers in several clients')
    .description(
      'Brings config files of clients to the state of a server set, agenttools.json in this folder or the data folder, or of another client. Entries of other programs and entries that were edited by hand stay.',
    )
    .argument('[keys...]', 'keys of the servers; default: all')
    .option('--file <file>', 'file with the server set')
    .option('--from <client>', 'take the servers from this client instead of a set')
    .option(
      '--to <clients>',
      'write to these clients; default: clients of the set; comma-separated',
      collect,
      [],
    )
    .option('--project [folder]', 'with --from: the files of the project instead of the files of the user')
    .option(
      '--leave-out <fields>',
      'with --from: write entries without these fields, which a client cannot express; comma-separated',
      collect,
      [],
    )
    .option('--check', 'write nothing; list differences, and exit with 1 if there are any')
    .option('--dry-run', 'print what would change as a table and a diff, and write nothing')
    .option('--force', 'let the set win over entries of other programs and edits by hand')
    .option('--no-verify', 'do not start the servers first')
    .option('--verify-timeout <seconds>', 'longest time a server may take to answer', positiveSeconds, 15)
    .option('--no-auto-install', 'do not install missing packages')
    .option(registryOption.flags, registryOption.description)
    .option('--yes', 'accept changed items and settings, as install --yes')
    .option('--json', 'print as JSON')
    .action(async (keys: readonly string[], options) => {
      const { syncCommand } = await import('./run.js');
      answer(
        await syncCommand(
          {
            keys,
            file: options.file,
            from: options.from,
            to: options.to,
            project: options.project,
            leaveOut: options.leaveOut,
            check: options.check ?? false,
            dryRun: options.dryRun ?? false,
            force: options.force ?? false,
            verifyTimeoutMs: options.verify ? options.verifyTimeout * 1000 : undefined,
            autoInstall: options.autoInstall,
            mcpRegistry: options.mcpRegistry,
            yes: options.yes ?? false,
            json: options.json ?? false,
          },
          host,
        ),
      );
    });
}
