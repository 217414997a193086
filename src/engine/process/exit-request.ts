const brand = Symbol.for('agenttools/exit-request');

/**
 * Thrown if code in a serving process calls `process.exit`: the running call fails, the server continues. Recognised by
 * its brand, since an extension may bring its own copy of this module.
 */
export class ExitRequest extends Error {
  override readonly name = 'ExitRequest';
  readonly exitCode: unknown;
  readonly [brand] = true;

  constructor(what: string, exitCode: unknown) {
    super(`${what} was called. A server goes on; return or throw to end the call.`);
    this.exitCode = exitCode;
  }
}

export function isExitRequest(value: unknown): value is ExitRequest {
  return typeof value === 'object' && value !== null && brand in value;
}
