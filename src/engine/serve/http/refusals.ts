import { type ErrorBody, ErrorNumber, type MessageId } from '../../protocol/envelope.js';
import { errorId, type LegacyVersion, legacyVersions } from '../../protocol/eras.js';
import { isStream } from './stream-backlog.js';

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

/** An answer that refuses a request. `version` is what the client speaks: older ones want an id at any price. */
export function createRefusal(
  { status, message, code = ErrorNumber.InvalidRequest, data, id, headers }: Refusal,
  version?: string | null,
): Response {
  const legacy = legacyVersions.find((known): known is LegacyVersion => known === version);
  const error = { code, message, ...(data !== undefined && { data }) };
  const body = { jsonrpc: '2.0', ...errorId(id, legacy), error };
  return Response.json(body, { status, ...(headers && { headers }) });
}

/** Refuses a request whose id and revision are known, as far as they can be read. */
export type Refuse = (refusal: Refusal) => Response;

/** What the SDK refuses without saying whom, said as everything else that is refused. */
export async function rebuildRefusal(response: Response, refuse: Refuse): Promise<Response> {
  if (response.status < 400 || isStream(response)) return response;
  const { status, headers } = response;
  const { error } = (await response.json()) as { readonly error: ErrorBody };
  const allow = headers.get('allow');
  return refuse({ status, ...error, ...(allow !== null && { headers: { Allow: allow } }) });
}
