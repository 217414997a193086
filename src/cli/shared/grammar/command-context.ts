import type { Host } from '../../../host.js';
import type { ExitCode } from '../exit-code.js';

/** Process environment of a command, and the callback for its exit code. */
export interface CommandContext {
  readonly host: Host;
  readonly answer: (code: ExitCode) => void;
}
