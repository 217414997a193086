import inspector from 'node:inspector';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { liftImportLimit } from '../extension/import-module.js';
import { deadlines } from '../runtime/deadlines.js';

/** Address on which debuggers connect. */
const address = '127.0.0.1';

/** Longest wait for a port that the host before still uses, in milliseconds: until that host is ended. */
const portWaitMs = 65_000;
const pauseMs = 50;

/** Debugger port of an extension host. Time limits of extension code end with its first use. */
export class DebuggerPort {
  readonly #report: (line: string) => void;
  /** Counts the requests: only the last one is followed. */
  #requests = 0;
  isUsed = false;

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** Opens the port once it is free; closes it if `port` is null. */
  async use(port: number | null): Promise<void> {
    this.#requests += 1;
    const request = this.#requests;
    if (inspector.url() !== undefined) inspector.close();
    if (port === null) return;
    this.isUsed = true;
    deadlines.suspend();
    liftImportLimit();
    const lastTry = performance.now() + portWaitMs;
    while (!(await isFree(port))) {
      if (request !== this.#requests) return;
      if (performance.now() > lastTry) {
        this.#report(
          `No debugger can be attached: port ${port} is in use. Choose another one: --inspect=<port>.`,
        );
        return;
      }
      await sleep(pauseMs);
    }
    if (request === this.#requests) inspector.open(port, address);
  }

  /** Waits until a debugger is attached, and stops there. */
  stop(): void {
    if (inspector.url() === undefined) return;
    inspector.waitForDebugger();
    // biome-ignore lint/suspicious/noDebugger: this is the stop
    debugger;
  }
}

/** True if this process can listen on a port. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, address, () => server.close(() => resolve(true)));
  });
}
