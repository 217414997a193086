/**
 * Marks on values that an extension's own copy of this package made. They are registered symbols and never classes, so
 * that its copy and the running one agree.
 */
export const brands = {
  /** A finished tool result. */
  result: Symbol.for('agenttools/result'),
  /** A message of a prompt. */
  message: Symbol.for('agenttools/message'),
  /** An error whose message the model may read. */
  toolError: Symbol.for('agenttools/tool-error'),
  /** An error that is answered on the protocol level. */
  protocolError: Symbol.for('agenttools/protocol-error'),
  /** Thrown where code in a serving process asks it to exit. */
  exitRequest: Symbol.for('agenttools/exit-request'),
} as const;

/** Whether a value bears a mark. Never throws. */
export function isBranded(value: unknown, brand: symbol): value is object {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  } catch {
    return false;
  }
}
