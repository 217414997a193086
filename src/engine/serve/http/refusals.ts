import { type ErrorBody, ErrorNumber, type MessageId } from '../../protocol/envelope.js';
import { errorId, type LegacyVersion, legacyVersions } from '../../protocol/eras.js';
import { isStream } from './stream-backlog.js';

/** Content of an HTTP response with a JSON-RPC error. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** Default: `InvalidRequest`. */
  readonly code?: number;
  readonly data?: unknown;
  readonly id?: MessageId | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Creates the response to a refused request. For a `version` before 2025-11-25, its `id` is never absent. */
export function createRefusal(
  { status, message, code = ErrorNumber.InvalidRequest, data, id, headers }: Refusal,
  version?: string | null,
): Response {
  const legacy = legacyVersions.find((known): known is LegacyVersion => known === version);
  const error = { code, message, ...(data !== undefined && { data }) };
  const body = { jsonrpc: '2.0', ...errorId(id, legacy), error };
  return Response.json(body, { status, ...(headers && { headers }) });
}

/** Refuses one request, with its id and revision if they are known. */
export type Refuse = (refusal: Refusal) => Response;

/** Rebuilds a refusal by the SDK, which lacks the id of the request. */
export async function rebuildRefusal(response: Response, refuse: Refuse): Promise<Response> {
  if (response.status < 400 || isStream(response)) return response;
  const { status, headers } = response;
  const { error } = (await response.json()) as { readonly error: ErrorBody };
  const allow = headers.get('allow');
  return refuse({ status, ...error, ...(allow !== null && { headers: { Allow: allow } }) });
}
