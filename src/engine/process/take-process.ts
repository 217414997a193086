import type { Readable, Writable } from 'node:stream';

import { type ExitReason, killTree, watchExit } from './exit-watch.js';
import { flushOutput } from './flush-output.js';
import { installGuard } from './install-guard.js';

interface TakeProcessOptions {
  readonly stderr: Writable;
  /** May be called again: a second signal can arrive while the first is handled. */
  readonly onEnd: (reason: ExitReason) => void;
}

/** Streams and shutdown of a process that runs one server. */
interface ProcessControl {
  /** The real stdin and stdout, for protocol messages only. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends all processes started from this one, then exits with 0. */
  leave(): Promise<never>;
  /** Ends all processes started from this one, and restores the streams. */
  release(): Promise<void>;
}

export type TakeProcess = (options: TakeProcessOptions) => ProcessControl;

/** Redirects output, handles signals and blocks `process.exit`. */
export const takeThisProcess: TakeProcess = ({ stderr, onEnd }) => {
  const guard = installGuard({ stderr });
  const stopWatching = watchExit({ onEnd });
  const { stdin, stdout, spawned } = guard;
  return {
    stdin,
    stdout,
    async leave() {
      await killTree({ spawned });
      await flushOutput(stderr);
      return guard.exit(0);
    },
    async release() {
      stopWatching();
      await killTree({ spawned });
      guard.restore();
    },
  };
};
