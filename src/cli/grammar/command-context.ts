import type { Host } from '../../host.js';
import type { ExitCode } from '../exit-code.js';

/** What a command runs on, and where its exit code goes. */
export interface CommandContext {
  readonly host: Host;
  readonly answer: (code: ExitCode) => void;
}
