import { ErrorNumber, type MessageId } from '../protocol/envelope.js';
import { type LegacyVersion, legacyVersions, wantsNullId } from '../protocol/eras.js';

/** What an HTTP answer says that is an error of JSON-RPC. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** `InvalidRequest` when absent. */
  readonly code?: number;
  readonly data?: unknown;
  readonly id?: MessageId | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that refuses a request. `version` is what the client says it speaks: older ones want an id at any price. */
export function refusal(
  { status, message, code = ErrorNumber.InvalidRequest, data, id, headers }: Refusal,
  version?: string | null,
): Response {
  const legacy = legacyVersions.find((known): known is LegacyVersion => known === version);
  const named = id !== undefined ? { id } : wantsNullId(legacy) ? { id: null } : {};
  const error = { code, message, ...(data !== undefined && { data }) };
  return Response.json({ jsonrpc: '2.0', ...named, error }, { status, ...(headers && { headers }) });
}
