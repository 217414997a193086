import { isRecord } from '../base/value-checks.js';
import { type ErrorBody, ErrorNumber } from './envelope.js';
import type { Era } from './eras.js';

export const clientGone = 'The client has gone.';

const resourceMethods = new Set(['resources/read', 'resources/subscribe']);

/**
 * Adapts the code of an error to its era: a missing resource is -32002 up to 2025-11-25 (server/resources, Error
 * handling), and -32602 with the `uri` since.
 */
export function forClient(call: { readonly era: Era; readonly method: string }, error: ErrorBody): ErrorBody {
  const isMissingResource =
    call.era === 'legacy' &&
    resourceMethods.has(call.method) &&
    error.code === ErrorNumber.InvalidParams &&
    isRecord(error.data) &&
    error.data.uri !== undefined;
  return isMissingResource ? { ...error, code: ErrorNumber.ResourceNotFound } : error;
}
