import { AgentToolsError } from '../base/errors.js';
import { readTextFile } from '../base/files/text-file.js';
import type { Launch } from '../clients/client.js';
import { readEntry } from '../clients/edit/entries.js';
import type { Receipt } from '../clients/receipt.js';
import { clients } from '../clients/table/index.js';
import { isThroughAgentTools } from './entry-inputs.js';
import type { EntryTarget } from './entry-target.js';
import type { InstallRequest } from './install-request.js';

/** Variable that switches UI apps off. */
export const appsVariable = 'MCP_APPS_ENABLED';

const isOff = (value: string | undefined) => value?.trim().toLowerCase() === 'false';

/** @throws AgentToolsError `usage` if a variable contradicts the option for UI apps */
export function refuseContradiction({ apps, variables }: Pick<InstallRequest, 'apps' | 'variables'>): void {
  const given = variables.find(({ name }) => name === appsVariable);
  if (apps === undefined || !given || isOff(given.value) !== apps) return;
  const option = apps ? '--enable-mcp-apps' : '--no-enable-mcp-apps';
  const message = `${option} and --env ${appsVariable}=${given.value} contradict each other. Leave one of them out.`;
  throw new AgentToolsError('usage', message);
}

/** Switches UI apps on in a launch, if the present entry has a variable of the user that switches them off. */
export async function withApps(
  launch: Launch,
  { file, format, layout, key }: Pick<EntryTarget, 'file' | 'format' | 'layout'> & { readonly key: string },
): Promise<Launch> {
  const present = await readTextFile(file)
    .then(async ({ text }) => await readEntry(text, { format, container: layout.container, key }))
    // The edit reports an unreadable file.
    .catch(() => undefined);
  const isSwitchedOff = present !== undefined && isOff(layout.launchOf(present)?.env[appsVariable]);
  return isSwitchedOff ? { ...launch, env: { ...launch.env, [appsVariable]: 'true' } } : launch;
}

/** False if an entry switches UI apps off. Null: it does not start AgentTools. */
export function hasApps({ client: id, entry }: Receipt): boolean | null {
  const client = clients.find((one) => one.id === id);
  const launch = client?.manual === undefined ? client?.launchOf(entry) : undefined;
  return launch && isThroughAgentTools(launch.args) ? !isOff(launch.env[appsVariable]) : null;
}
