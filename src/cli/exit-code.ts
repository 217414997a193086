/** What the program answers to its caller. */
export const ExitCode = {
  Ok: 0,
  /** Errors were found, or the work could not be done. */
  Failed: 1,
  /** The command line is not well formed. */
  Usage: 2,
  /** Ctrl-C was answered to a question, which ends a program as SIGINT does. */
  Interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
