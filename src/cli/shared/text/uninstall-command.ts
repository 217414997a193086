import { shellWord } from '../../../engine/base/shell-word.js';
import type { Receipt } from '../../../engine/clients/receipt.js';

/** The command that removes exactly this entry, from any working directory. */
export function uninstallCommand({ client, scope, file, project, key }: Receipt): string {
  const words = {
    user: [client, key],
    project: [client, key, `--project=${project}`],
    config: [key, '--config', file, '--client', client],
  }[scope];
  return ['agenttools', 'uninstall', ...words].map(shellWord).join(' ');
}
