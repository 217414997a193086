import type { Command } from 'commander';
import type { Host } from '../../../host.js';
import type { ExitCode } from '../exit-code.js';

export type { Argument, Command, Option } from 'commander';

/** Process environment of a command, and the callback for its exit code. */
export interface CommandContext {
  /** Words after `--`: the command of a server. Undefined without `--`. */
  readonly command?: readonly string[] | undefined;
  readonly host: Host;
  readonly answer: (code: ExitCode) => void;
}

/** Adds one command to the program: its arguments, options and help. */
export type DefineCommand = (program: Command, context: CommandContext) => void;
