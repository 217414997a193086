import type { Host } from '../../host.js';
import { reporterOn } from '../base/line-reporter.js';
import { takeThisProcess } from '../process/take-process.js';
import { createServer } from '../server/running-server.js';
import { type Preparation, type PreparedServer, prepareServer } from './prepare-server.js';
import { type StdioSession, serveStdio } from './stdio/serve-stdio.js';

/** Time for calls in flight after a signal. The official client kills the server 1 to 2 s after its signal. */
const drainAfterSignalMs = 800;

export interface StartOptions extends Preparation {
  readonly host: Host;
  /** Called before the first client is served. `signal` aborts when the server ends. */
  readonly onPrepared?: ((served: PreparedServer, signal: AbortSignal) => void) | undefined;
}

/**
 * Serves a server over stdio until its client disconnects, then ends the process.
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
  let prepared: PreparedServer | undefined;
  const taken = takeProcess({
    stderr: host.stderr,
    onEnd: () => void (session?.end({ drainMs: drainAfterSignalMs }) ?? leave()),
  });
  const served = await prepareServer(options, { host, report, signal: ending.signal }).catch(
    async (error) => {
      await taken.release();
      throw error;
    },
  );
  prepared = served;
  options.onPrepared?.(served, ending.signal);
  session = serveStdio({
    createServer: (era) => createServer(served, era),
    input: taken.stdin,
    output: taken.stdout,
    report,
  });
  await session.ended;
  return await leave();
}
