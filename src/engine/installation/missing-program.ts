import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Receipt } from '../clients/receipt.js';
import { clients } from '../clients/table/index.js';

/** Program or script of an entry that no longer exists; undefined if both exist, or the entry starts no program by its path. */
export function missingProgram({ client: id, entry }: Receipt): string | undefined {
  const client = clients.find((one) => one.id === id);
  const launch = client?.manual === undefined ? client?.launchOf(entry) : undefined;
  const words = launch ? [launch.command, ...launch.args.slice(0, 1)] : [];
  return words.find((word) => path.isAbsolute(word) && !existsSync(word));
}
