/** Exit codes of the program. */
export const ExitCode = {
  Ok: 0,
  /** Errors were found, or the command failed. */
  Failed: 1,
  /** The command line is invalid. */
  Usage: 2,
  /** Ctrl-C at a question: same exit code as a program ended by SIGINT. */
  Interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
