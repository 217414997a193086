/** What the program answers to its caller. */
export const ExitCode = {
  Ok: 0,
  /** Errors were found, or the work could not be done. */
  Failed: 1,
  /** The command line is not well formed. */
  Usage: 2,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
