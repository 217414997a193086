import { plainData } from '../base/plain-data.js';
import { errorMessage, safelyThrown } from '../base/thrown-value.js';
import { brands, isBranded } from '../runtime/authoring-symbols.js';
import { capabilityPath } from '../runtime/capabilities.js';
import { CursorError } from '../runtime/paging.js';
import { MissingCapabilityError, RequirementError } from '../runtime/requirements.js';
import { ProtocolError } from '../runtime/result-builders.js';
import type { WireObject } from './envelope.js';

/** @see JSON-RPC 2.0, section 5.1 */
export const invalidRequest = -32600;
export const invalidParams = -32602;
export const internalError = -32603;
/** @see MCP 2026-07-28, basic, "Error Codes" */
const missingCapability = -32021;

/** No resource has this URI. @see MCP 2026-07-28, server/resources, Error Handling */
export class ResourceNotFoundError extends ProtocolError {
  constructor(uri: string, message: string = `Resource not found: ${uri}`) {
    super(invalidParams, message, { uri });
  }
}

/** Converts an error with a code in the protocol to a ProtocolError; returns any other error unchanged. */
export function toProtocolError(thrown: unknown): unknown {
  const error = safelyThrown(thrown);
  if (error instanceof CursorError) return new ProtocolError(invalidParams, error.message);
  if (error instanceof MissingCapabilityError) {
    const requiredCapabilities = nestCapabilities(error.capabilities);
    return new ProtocolError(missingCapability, error.message, { requiredCapabilities });
  }
  if (error instanceof RequirementError) return new ProtocolError(internalError, error.message);
  if (!isBranded(error, brands.protocolError)) return error;
  const { code, data } = plainData(errorFields(error)).value as {
    readonly code?: unknown;
    readonly data?: unknown;
  };
  const number = Number.isSafeInteger(code) ? (code as number) : internalError;
  return new ProtocolError(number, errorMessage(error), data);
}

/** The members of an error, read by the copy: a getter may throw. */
function errorFields(error: Readonly<{ code?: unknown; data?: unknown }>): object {
  return {
    get code() {
      return error.code;
    },
    get data() {
      return error.data;
    },
  };
}

/** `["sampling.tools"]` as the object that a client would declare: `{ sampling: { tools: {} } }`. */
function nestCapabilities(capabilities: readonly string[]): WireObject {
  const root = createBareObject();
  for (const capability of capabilities) {
    let at = root;
    for (const part of capabilityPath(capability)) {
      at[part] ??= createBareObject();
      at = at[part] as Record<string, unknown>;
    }
  }
  return root;
}

/** An object on which every name is ordinary, `__proto__` included. */
function createBareObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
