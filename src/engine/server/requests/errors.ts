import { ProtocolError } from '@modelcontextprotocol/server';
import { brands, isBranded } from '../../items/brands.js';
import { CursorError } from '../../items/registry.js';

/** @see JSON-RPC 2.0, section 5.1 */
export const invalidParams = -32602;
export const internalError = -32603;
/** @see MCP 2026-07-28, basic, "Error Codes" */
export const missingCapability = -32021;

/** Gives a failure the number it has in the protocol, if it is one that goes there as it is. */
export function toProtocolError(error: unknown): unknown {
  if (error instanceof CursorError) return new ProtocolError(invalidParams, error.message);
  if (!isBranded(error, brands.protocolError)) return error;
  const { code, message, data } = error as { code: number; message: string; data?: unknown };
  return new ProtocolError(Number.isSafeInteger(code) ? code : internalError, message, data);
}

/** What an unexpected exception says on stderr. */
export function detailsOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
