import type { Readable, Writable } from 'node:stream';

import { type EndReason, killTree, watchExit } from './exit-watch.js';
import { installGuard } from './guard.js';
import { flushOutput } from './flush-output.js';

interface TakeProcessOptions {
  readonly stderr: Writable;
  /** May be called again: a second signal while the first is being obeyed. */
  readonly onEnd: (reason: EndReason) => void;
}

/** Streams and shutdown of a process that runs one server. */
interface TakenProcess {
  /** The real stdin and stdout, for the protocol alone. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Ends the process with 0, and all that was started from it. */
  leave(): Promise<never>;
  /** Ends all that was started from the process, and undoes the redirection. */
  release(): Promise<void>;
}

export type TakeProcess = (options: TakeProcessOptions) => TakenProcess;

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
