import { confirm, multiselect } from '@clack/prompts';
import { visibleText } from '../../../engine/base/visible-text.js';
import { clientName } from '../../../engine/clients/client-name.js';
import type { Receipt } from '../../../engine/clients/receipt.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import { uninstallEntries } from '../../../engine/installation/uninstall.js';
import type { Host } from '../../../host.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { toExitCode } from '../../shared/exit-outcome.js';
import { answer, interrupted, openTerminal } from '../../shared/terminal-prompts.js';
import { uninstallCommand } from '../../shared/text/uninstall-command.js';
import { uninstallDiff, uninstallLines } from '../../shared/text/uninstallation.js';
import { removeUnused } from './remove-unused.js';

/**
 * Asks which entries to remove, shows the changes, and removes them with consent.
 * @throws AgentToolsError `interrupted` at Ctrl+C, Escape and Ctrl+D, and without consent; nothing is written then
 */
export async function pickEntries(
  entries: readonly Receipt[],
  { dryRun, force }: { readonly dryRun: boolean; readonly force: boolean },
  host: Host,
): Promise<ExitCode> {
  const terminal = openTerminal(host);
  const chosen = await answer(
    multiselect<string>({
      message: 'Which entries? Space selects, Enter goes on',
      options: entries.map((receipt) => ({
        value: nameOf(receipt),
        label: visibleText(`"${receipt.key}" in ${clientName(receipt.client)}`),
        hint: visibleText(`${receipt.server}, ${receipt.file}`),
      })),
      required: true,
      ...terminal,
    }),
  );
  const isChosen = (receipt: Receipt) => chosen.includes(nameOf(receipt));
  const { surroundings, receipts } = installationFolders(host);
  const remove = async (dryRun: boolean) => {
    const setting = { cwd: host.cwd, home: host.home, surroundings, receipts };
    const options = { dryRun, force, goes: () => false };
    return await uninstallEntries(isChosen, options, { ...setting, ...(dryRun && { drafts: new Map() }) });
  };
  const report = ({ results, notes }: Awaited<ReturnType<typeof remove>>, dryRun: boolean) =>
    uninstallLines({ results, notes, instead: { here: [], elsewhere: [] } }, { dryRun, nameOf: clientName });
  const planned = await remove(true);
  const diff = uninstallDiff(planned.results, { nameOf: clientName });
  (dryRun ? host.stdout : host.stderr).write(diff);
  host.stderr.write(report(planned, true));
  if (dryRun || planned.results.every((result) => 'error' in result)) return toExitCode(planned.results);
  const question = confirm({ message: 'Remove this?', initialValue: true, ...openTerminal(host) });
  if (!(await answer(question))) throw interrupted();
  const done = await remove(false);
  await removeUnused(done.results, host);
  host.stderr.write(report(done, false));
  const commands = entries.filter(isChosen).map((receipt) => `  ${uninstallCommand(receipt)}\n`);
  host.stderr.write(visibleText(`The same without questions:\n${commands.join('')}`));
  return toExitCode(done.results);
}

function nameOf({ client, file, container, key }: Receipt): string {
  return JSON.stringify([client, file, container.path, key]);
}
