import { isRecord } from '../base/value-checks.js';
import { type ErrorBody, ErrorNumber, type JsonObject, type MessageId } from './envelope.js';

/** `legacy`: begins with `initialize` (up to 2025-11-25). `modern`: every message names its version (2026-07-28). */
export type Era = 'legacy' | 'modern';

/** Newest first. The first is offered to a client that requests an unknown version. */
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

/** Returns the negotiated version of an `initialize` (MCP 2025-11-25 lifecycle, Version negotiation). */
export function negotiate(requested: unknown): LegacyVersion {
  return legacyVersions.find((version) => version === requested) ?? legacyVersions[0];
}

/**
 * The `id` member of an error response. Without a readable id it is absent since 2025-11-25, as the schema requires,
 * and `null` before, as section 5 of JSON-RPC 2.0 requires.
 */
export function errorId(
  id: MessageId | undefined,
  version: LegacyVersion | undefined,
): { readonly id?: MessageId | null } {
  if (id !== undefined) return { id };
  return version === undefined || version === '2025-11-25' ? {} : { id: null };
}

/**
 * Finds the fault of a batch after an `initialize` at a version. Batches were added in 2025-03-26 and removed in
 * 2025-06-18.
 */
export function findBatchFault(
  messages: readonly unknown[],
  version: LegacyVersion | undefined,
): string | undefined {
  if (version !== '2025-03-26') return 'batches are served only after an initialize at 2025-03-26';
  return messages.length === 0 ? 'the batch is empty' : undefined;
}

/** The fault of a batch in the modern era. */
export const modernBatch = `${modernVersions[0]} has no batches`;

/** True if a message names its version, and so belongs to the modern era. */
export function claimsVersion(params: JsonObject | undefined): boolean {
  const meta = params?._meta;
  return isRecord(meta) && meta[metaKey.protocolVersion] !== undefined;
}

/**
 * Finds the fault in the claim of a message (MCP 2026-07-28 basic, Request metadata, and versioning). The version is
 * checked first, since the other requirements of an unknown version are unknown too.
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
  if (!isRecord(capabilities)) return badMeta(metaKey.clientCapabilities, 'must be an object');
  const info = meta[metaKey.clientInfo];
  if (
    info !== undefined &&
    (!isRecord(info) || typeof info.name !== 'string' || typeof info.version !== 'string')
  ) {
    return badMeta(metaKey.clientInfo, 'must be an object with a "name" and a "version"');
  }
  const level = meta[metaKey.logLevel];
  if (level !== undefined && !logLevels.some((known) => known === level)) {
    return badMeta(metaKey.logLevel, `must be one of ${logLevels.join(', ')}`);
  }
  return undefined;
}

/** True for `initialize` with no version claim or a malformed one. With any other, it is a modern request. */
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
