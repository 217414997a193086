import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../base/value-checks.js';

/** A JSON object with unchecked members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type MessageId = string | number;

/** JSON-RPC 2.0, section 5.1, and the MCP error codes that the protocol layer sends itself. */
export const ErrorNumber = {
  Parse: -32700,
  InvalidRequest: -32600,
  InvalidParams: -32602,
  Internal: -32603,
  ResourceNotFound: -32002,
  MissingCapability: -32021,
  UnsupportedVersion: -32022,
} as const;

export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Error that a server gets in place of a malformed response. */
export const malformedResponse: ErrorBody = {
  code: ErrorNumber.InvalidRequest,
  message: 'The client sent a malformed response.',
};

/** A parsed JSON value, classified by JSON-RPC. */
export type Envelope =
  | {
      readonly kind: 'request';
      readonly id: MessageId;
      readonly method: string;
      readonly params?: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params?: JsonObject }
  | { readonly kind: 'response'; readonly id: MessageId | undefined; readonly outcome: ResponseBody }
  | { readonly kind: 'invalid'; readonly id: MessageId | undefined; readonly problem: string };

type ResponseBody = { readonly result: JsonObject } | { readonly error: ErrorBody };

/** MCP narrows JSON-RPC ids to strings and integers; an integer that JSON.parse rounded cannot be sent back as it came. */
export function isMessageId(value: unknown): value is MessageId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/**
 * Classifies a value (JSON-RPC 2.0, sections 4 and 5; MCP basic, Messages). Keeps only the members that JSON-RPC
 * defines: receivers match messages strictly and would drop one with an unknown member.
 */
export function readEnvelope(value: unknown): Envelope {
  if (!isRecord(value)) return invalid(undefined, 'a message is a JSON object');
  const { id, method, params } = value;
  const readableId = isMessageId(id) ? id : undefined;

  if (value.jsonrpc !== '2.0') return invalid(readableId, '"jsonrpc" must be "2.0"');
  if (method === undefined && ('result' in value || 'error' in value)) {
    return { kind: 'response', id: readableId, outcome: readOutcome(value) };
  }
  if (typeof method !== 'string') return invalid(readableId, '"method" must be a string');
  if (id !== undefined && readableId === undefined) {
    return invalid(undefined, '"id" must be a string or an integer of at most 2^53 - 1');
  }
  if (params === undefined) {
    return readableId === undefined
      ? { kind: 'notification', method }
      : { kind: 'request', id: readableId, method };
  }
  if (!isRecord(params)) return invalid(readableId, '"params" must be an object');
  if (readableId === undefined) return { kind: 'notification', method, params };
  return { kind: 'request', id: readableId, method, params };
}

/** Returns a message for receivers, with only the members that JSON-RPC defines. */
export function toMessage(envelope: Exclude<Envelope, { kind: 'invalid' }>): JSONRPCMessage {
  if (envelope.kind === 'response') {
    return { jsonrpc: '2.0', id: envelope.id, ...envelope.outcome } as JSONRPCMessage;
  }
  const { kind: _, ...members } = envelope;
  return { jsonrpc: '2.0', ...members } as JSONRPCMessage;
}

/** The fault of a request with the id of an unanswered one. */
export function takenId(id: MessageId): string {
  return `the id ${JSON.stringify(id)} belongs to a request that is not answered yet`;
}

function readOutcome({ result, error }: JsonObject): ResponseBody {
  if (error === undefined && isRecord(result)) return { result };
  if (isRecord(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string') {
    return { error: error as unknown as ErrorBody };
  }
  return { error: malformedResponse };
}

function invalid(id: MessageId | undefined, problem: string): Envelope {
  return { kind: 'invalid', id, problem };
}

/** Parameters and results as they are on the wire. */
export type WireObject = Readonly<Record<string, unknown>>;
