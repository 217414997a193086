/**
 * Kind of failure. `usage` is a malformed command line (exit 2), `interrupted` an interruption by the user
 * (exit 130); all other codes exit with 1.
 */
export type ErrorCode =
  | 'usage'
  | 'interrupted'
  | 'no-extension'
  | 'malformed-manifest'
  | 'malformed-document'
  | 'not-found'
  | 'not-installed'
  | 'ambiguous'
  | 'invalid-definition'
  | 'load-failed'
  | 'initialize-failed'
  | 'refused'
  | 'failed';

/** True for the error about a name that means nothing here: there is no such thing, or its package is not installed. */
export function isUnknownName(error: unknown): boolean {
  return error instanceof AgentToolsError && ['not-found', 'not-installed'].includes(error.code);
}

/**
 * A failure the user can act on: the message states the failure, its location and the fix. Any other thrown
 * error is a bug.
 */
export class AgentToolsError extends Error {
  override readonly name = 'AgentToolsError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
