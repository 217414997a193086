import type { Readable, Writable } from 'node:stream';

import type { TakeProcess } from './engine/process/take-process.js';

/** Process environment: `bin/` passes the real one, tests pass their own. */
export interface Host {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** True if stdout accepts ANSI colours: it is a terminal, and `NO_COLOR` is not set. */
  readonly color: boolean;
  /** Ends the process once stdout is flushed, even if an extension holds handles open. */
  exit(code: number): void;
  /** Name of the command that runs, for the history of changes. Default: `agenttools`. */
  readonly command?: string;
  /** Provides the streams and signals of a server. Default: the streams and signals of this process. */
  readonly takeProcess?: TakeProcess;
}
