import { type ErrorBody, ErrorNumber, isObject, type JsonObject, type MessageId } from './envelope.js';

/** How a client speaks: `legacy` opens with `initialize` (up to 2025-11-25), `modern` says its version in every message. */
export type Era = 'legacy' | 'modern';

/** Newest first. The first is offered to a client that asks for a version we do not know. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const modernVersions = ['2026-07-28'] as const;

export type LegacyVersion = (typeof legacyVersions)[number];

/** MCP server/utilities/logging, Log levels; the same in every revision. */
export const logLevels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type LogLevelName = (typeof logLevels)[number];

/** MCP 2026-07-28 basic, Request metadata. */
export const metaKey = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  relatedTask: 'io.modelcontextprotocol/related-task',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

/** The version an `initialize` settles on (MCP 2025-11-25 lifecycle, Version negotiation). */
export function negotiate(requested: unknown): LegacyVersion {
  return legacyVersions.find((version) => version === requested) ?? legacyVersions[0];
}

/**
 * What an error says of the message that it answers. Without a readable id that is nothing since 2025-11-25, whose
 * schema has no other way, and before it what JSON-RPC 2.0 says in section 5: `null`.
 */
export function errorId(
  id: MessageId | undefined,
  version: LegacyVersion | undefined,
): { readonly id?: MessageId | null } {
  if (id !== undefined) return { id };
  return version === undefined || version === '2025-11-25' ? {} : { id: null };
}

/**
 * What is wrong with an array of messages after an `initialize` at a version: batching came with 2025-03-26 and left with
 * 2025-06-18.
 */
export function findBatchFault(
  messages: readonly unknown[],
  version: LegacyVersion | undefined,
): string | undefined {
  if (version !== '2025-03-26') return 'batches are served only after an initialize at 2025-03-26';
  return messages.length === 0 ? 'the batch is empty' : undefined;
}

/** What is wrong with one whose messages say their version themselves. */
export const modernBatch = `${modernVersions[0]} has no batches`;

/** Whether a message says its version itself, and so belongs to the modern era. */
export function claimsVersion(params: JsonObject | undefined): boolean {
  const meta = params?._meta;
  return isObject(meta) && meta[metaKey.protocolVersion] !== undefined;
}

/**
 * What is wrong with the claim of a message (MCP 2026-07-28 basic, Request metadata, and versioning): a version we do
 * not serve is named first, since what else such a message must carry is not ours to know.
 */
export function findClaimFault(params: JsonObject | undefined): ErrorBody | undefined {
  const meta = params?._meta as JsonObject;
  const version = meta[metaKey.protocolVersion];
  if (typeof version !== 'string') return badMeta(metaKey.protocolVersion, 'must be a string');
  if (!modernVersions.some((served) => served === version)) {
    return {
      code: ErrorNumber.UnsupportedVersion,
      message: `Unsupported protocol version: ${version}. Served here: ${modernVersions.join(', ')}, or ${legacyVersions.join(', ')} after initialize.`,
      data: { supported: modernVersions, requested: version },
    };
  }
  const capabilities = meta[metaKey.clientCapabilities];
  if (capabilities === undefined) return badMeta(metaKey.clientCapabilities, 'is missing; send {} for none');
  if (!isObject(capabilities)) return badMeta(metaKey.clientCapabilities, 'must be an object');
  const info = meta[metaKey.clientInfo];
  if (
    info !== undefined &&
    (!isObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string')
  ) {
    return badMeta(metaKey.clientInfo, 'must be an object with a "name" and a "version"');
  }
  const level = meta[metaKey.logLevel];
  if (level !== undefined && !logLevels.some((known) => known === level)) {
    return badMeta(metaKey.logLevel, `must be one of ${logLevels.join(', ')}`);
  }
  return undefined;
}

/** An `initialize` with a sound claim is a modern request for a method that era does not have; with any other it is the handshake. */
export function isHandshake(method: string, params: JsonObject | undefined): boolean {
  if (method !== 'initialize') return false;
  return !claimsVersion(params) || findClaimFault(params)?.code === ErrorNumber.InvalidParams;
}

function badMeta(key: string, problem: string): ErrorBody {
  return {
    code: ErrorNumber.InvalidParams,
    message: `Invalid params: "_meta["${key}"]" ${problem}.`,
    data: { path: ['_meta', key] },
  };
}
