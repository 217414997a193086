import type { Host } from '../../host.js';
import { createServer } from './factory.js';
import { type Preparation, type Prepared, prepareServed } from './prepare.js';
import { takeThisProcess } from './process/take-process.js';
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
  const { takeProcess = takeThisProcess } = host;
  const report = reporterOn(host.stderr);
  const ending = new AbortController();
  const leave = async (): Promise<never> => {
    ending.abort();
    await prepared?.close();
    return await taken.leave();
  };
  let session: StdioSession | undefined;
  let prepared: Prepared | undefined;
  const taken = takeProcess({
    stderr: host.stderr,
    onEnd: () => void (session?.end({ drainMs: drainAfterSignalMs }) ?? leave()),
  });
  const served = await prepareServed(options, { host, report, signal: ending.signal }).catch(
    async (error) => {
      await taken.release();
      throw error;
    },
  );
  prepared = served;
  session = serveStdio({
    createServer: (era) => createServer(served, era),
    input: taken.stdin,
    output: taken.stdout,
    report,
  });
  await session.ended;
  return await leave();
}
