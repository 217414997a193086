import type { Readable, Writable } from 'node:stream';

import { type ExitReason, killTree, watchExit } from './exit-watch.js';
import { flushOutput } from './flush-output.js';
import { installGuard } from './install-guard.js';

interface TakeProcessOptions {
  readonly stderr: Writable;
  /** May be called again: a second signal while the first is being obeyed. */
  readonly onEnd: (reason: ExitReason) => void;
}

/** Streams and shutdown of a process that runs one server. */
interface ProcessControl {
  /** The real stdin and stdout, for the protocol alone. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends the process with 0, and all that was started from it. */
  leave(): Promise<never>;
  /** Ends all that was started from the process, and undoes the redirection. */
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
