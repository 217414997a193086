import { startServer } from '../../engine/server/start.js';
import type { Host } from '../../host.js';
import type { ExitCode } from '../exit-code.js';
import type { StartInput } from '../start-arguments.js';

/** Serves a server over stdio until its client has gone. */
export async function startCommand(input: StartInput, host: Host): Promise<ExitCode> {
  return await startServer({ ...input, host });
}
