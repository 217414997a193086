import { workspaceFolders } from '../../../engine/base/folders.js';
import { clientName } from '../../../engine/clients/client-name.js';
import { referenceOfCommand } from '../../../engine/existing-servers/resolve-command.js';
import {
  installationFolders,
  namedClients,
  resolveScope,
} from '../../../engine/installation/installation-folders.js';
import { uninstall } from '../../../engine/installation/uninstall.js';
import { removeUnusedRecords, removeUnusedServers } from '../../../engine/installation/unused-servers.js';
import type { Host } from '../../../host.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { toExitCode } from '../../shared/exit-outcome.js';
import { renderResults } from '../../shared/failure.js';
import { commandWithServer, type TargetInput } from '../../shared/grammar/target-options.js';
import { uninstallData, uninstallDiff, uninstallLines } from '../../shared/text/uninstallation.js';
import { findOtherInstallations } from './other-installations.js';

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
  if (!dryRun) {
    const { dataFolder } = workspaceFolders(host);
    await removeUnusedServers(receipts, dataFolder);
    await removeUnusedRecords(
      results.flatMap(({ receipt }) => receipt.server ?? []),
      receipts,
      dataFolder,
    );
  }
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
