import type { Host } from '../../host.js';
import { type Preparation, prepareServer } from './prepare.js';
import { killTree, watchEnds } from './process/ends.js';
import { installGuard } from './process/guard.js';
import { lastWords } from './process/last-words.js';
import { reporterOn } from './reporting.js';
import { type StdioSession, serveStdio } from './stdio/serve-stdio.js';

/** How long calls under way may go on after a signal; the official client kills 1 to 2 s after its own. */
const drainAfterSignalMs = 800;

export interface StartOptions extends Preparation {
  readonly host: Host;
}

/**
 * Serves a server over stdio until its client has gone, then ends the process.
 * @throws AgentToolsError before anything is served.
 */
export async function startServer(options: StartOptions): Promise<never> {
  const { host } = options;
  const guard = installGuard({ stderr: host.stderr });
  const report = reporterOn(host.stderr);
  const ending = new AbortController();
  const leave = async (): Promise<never> => {
    ending.abort();
    await killTree({ spawned: guard.spawned });
    await lastWords(host.stderr);
    return guard.exit(0);
  };
  let session: StdioSession | undefined;
  const stopWatching = watchEnds({
    onEnd: () => void (session?.end({ drainMs: drainAfterSignalMs }) ?? leave()),
  });
  const createServer = await prepareServer(options, { host, report, signal: ending.signal }).catch(
    async (error) => {
      stopWatching();
      await killTree({ spawned: guard.spawned });
      guard.restore();
      throw error;
    },
  );
  session = serveStdio({
    createServer,
    input: guard.stdin,
    output: guard.stdout,
    report,
  });
  await session.ended;
  return await leave();
}
