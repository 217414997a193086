/**
 * What kind of failure it is. `usage` is a malformed command line (exit 2), `interrupted` the user's wish to end (exit 130);
 * everything else is exit 1.
 */
export type ErrorCode =
  | 'usage'
  | 'interrupted'
  | 'no-extension'
  | 'malformed-manifest'
  | 'malformed-document'
  | 'not-found'
  | 'ambiguous'
  | 'invalid-definition'
  | 'load-failed'
  | 'refused'
  | 'failed';

/** A failure the user can act on: its message says what, where and the way out. Anything else that is thrown is a bug. */
export class AgentToolsError extends Error {
  override readonly name = 'AgentToolsError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
