/**
 * Marks on values that an extension's own copy of this package creates. They are registered symbols and not classes,
 * because two copies share symbols only.
 */
export const brands = {
  /** A finished tool result. */
  result: Symbol.for('agenttools/result'),
  /** A message of a prompt. */
  message: Symbol.for('agenttools/message'),
  /** An error with a message that the model may read. */
  toolError: Symbol.for('agenttools/tool-error'),
  /** An error that is sent as a JSON-RPC error. */
  protocolError: Symbol.for('agenttools/protocol-error'),
  /** Thrown if code in a serving process asks the process to exit. */
  exitRequest: Symbol.for('agenttools/exit-request'),
} as const;

/** True if a value has the brand. Never throws. */
export function isBranded(value: unknown, brand: symbol): value is object {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  } catch {
    return false;
  }
}

/** True for a `ProtocolError` with a number as code. Another code has no form in JSON-RPC. */
export function isProtocolError(error: unknown): error is { readonly code: number } {
  try {
    return isBranded(error, brands.protocolError) && Number.isSafeInteger((error as { code?: unknown }).code);
  } catch {
    // A getter or a Proxy may throw.
    return false;
  }
}
