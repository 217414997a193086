import { AgentToolsError } from '../../../engine/base/errors.js';
import { clientName } from '../../../engine/clients/client-name.js';
import { reconcileRecords } from '../../../engine/clients/config-change.js';
import { referenceOfCommand } from '../../../engine/existing-servers/resolve-command.js';
import {
  installationFolders,
  namedClients,
  resolveScope,
} from '../../../engine/installation/installation-folders.js';
import { uninstall } from '../../../engine/installation/uninstall.js';
import type { Host } from '../../../host.js';
import { isInteractive } from '../../shared/ask-question.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { toExitCode } from '../../shared/exit-outcome.js';
import { renderResults } from '../../shared/failure.js';
import { commandWithServer, type TargetInput } from '../../shared/grammar/target-options.js';
import { uninstallCommand as uninstallCommandOf } from '../../shared/text/uninstall-command.js';
import { uninstallData, uninstallDiff, uninstallLines } from '../../shared/text/uninstallation.js';
import { findOtherInstallations } from './other-installations.js';
import { removeUnused } from './remove-unused.js';

export interface UninstallInput extends TargetInput {
  /** Command of an existing server. */
  readonly command: readonly string[] | undefined;
  readonly name: string | undefined;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

/** Removes servers from the config files of clients. */
export async function uninstallCommand(input: UninstallInput, host: Host): Promise<ExitCode> {
  const { name, dryRun, force, json, server, command } = input;
  if (command && server !== undefined) throw commandWithServer(server);
  const reference = command ? referenceOfCommand(command) : server;
  const { surroundings, receipts } = installationFolders(host);
  const named = namedClients(input);
  const scope = resolveScope(input, host);
  const { results, notes, elsewhere } = await uninstall(
    { clients: named?.clients, scope, reference, name, force, dryRun },
    { cwd: host.cwd, home: host.home, surroundings, receipts },
  );
  if (!dryRun) await removeUnused(results, host);
  const instead = findOtherInstallations(elsewhere, {
    clients: named?.clients,
    scope,
    wanted: name ?? reference,
  });
  host.stderr.write(uninstallLines({ results, notes, instead }, { dryRun, nameOf: clientName }));
  if (json) {
    host.stdout.write(
      renderResults(results, { all: input.all, data: () => uninstallData(results, { dryRun }) }),
    );
  } else if (dryRun) host.stdout.write(uninstallDiff(results, { nameOf: clientName }));
  return toExitCode(results);
}

/**
 * Lets the user choose entries at a terminal; undefined without entries.
 * @throws AgentToolsError `usage` with the entries if there is no terminal; `interrupted`
 */
export async function pickIfOpen(
  { json, ...options }: Pick<UninstallInput, 'dryRun' | 'force' | 'json'>,
  host: Host,
): Promise<ExitCode | undefined> {
  const { records } = await reconcileRecords(installationFolders(host).receipts);
  const entries = records.flatMap((record) => record.receipts);
  if (entries.length === 0) return undefined;
  if (json || !isInteractive(host)) {
    const commands = entries.slice(0, 20).map((receipt) => `  ${uninstallCommandOf(receipt)}`);
    const more = entries.length > 20 ? [`  and ${entries.length - 20} more: agenttools list-installed`] : [];
    const list = [...commands, ...more].join('\n');
    throw new AgentToolsError(
      'usage',
      `Which entries? Remove one with:\n${list}\nOr give --all or --everything.`,
    );
  }
  const { pickEntries } = await import('./pick-entries.js');
  return await pickEntries(entries, options, host);
}
