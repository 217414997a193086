import type { Readable, Writable } from 'node:stream';

import type { TakeProcess } from './engine/process/take-process.js';

/** The world as the program sees it: `bin/` hands in this process, a test whatever it likes. */
export interface Host {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether stdout takes ANSI colours: a terminal, and `NO_COLOR` is not set. */
  readonly color: boolean;
  /** Ends the process once stdout is flushed, whatever an extension still holds open. */
  exit(code: number): void;
  /** Gives a server its streams and signals. Default: those of this process. */
  readonly takeProcess?: TakeProcess;
}
