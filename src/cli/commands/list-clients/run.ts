import { clientFacts } from '../../../engine/installation/client-facts.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderJson } from '../../shared/text/json.js';
import { renderClients } from './text.js';

export interface ListClientsInput {
  readonly detected: boolean;
  /** True for the limits of clients and model APIs instead of their files. */
  readonly limits: boolean;
  readonly json: boolean;
}

/** Lists the clients that install knows. */
export async function listClientsCommand(
  { detected, limits, json }: ListClientsInput,
  host: Host,
): Promise<ExitCode> {
  const { clients, notes } = await clientFacts(installationFolders(host));
  const listed = detected ? clients.filter(({ state }) => state !== 'not found') : clients;
  if (limits) {
    const { limitsOf, renderLimits } = await import('./limits.js');
    const groups = limitsOf(detected ? new Set(listed.map(({ id }) => id)) : undefined);
    host.stdout.write(json ? renderJson(groups) : renderLimits(groups, host));
    return ExitCode.Ok;
  }
  for (const note of notes) host.stderr.write(`warning: ${note}\n`);
  host.stdout.write(json ? renderJson(listed) : renderClients(listed, host));
  return ExitCode.Ok;
}
