import { changesFiles, listCommands } from '../../../engine/clients/command-history.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderJson } from '../../shared/text/json.js';
import { historyData, renderHistory } from './text.js';

/** Lists the changes that AgentTools made to config files. */
export async function historyCommand({ json }: { readonly json: boolean }, host: Host): Promise<ExitCode> {
  const { receipts } = installationFolders(host);
  const { commands, notes } = await listCommands(receipts);
  for (const note of notes) host.stderr.write(`warning: ${note}\n`);
  const newestFirst = commands.filter(changesFiles).toReversed();
  host.stdout.write(json ? renderJson(newestFirst.map(historyData)) : renderHistory(newestFirst, host));
  return ExitCode.Ok;
}
