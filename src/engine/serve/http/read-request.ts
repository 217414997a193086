import { isJsonContentType } from '@modelcontextprotocol/server';
import { type Envelope, ErrorNumber, readEnvelope, toMessage } from '../../protocol/envelope.js';
import { isTooDeep, withoutDepths } from '../../protocol/message-depth.js';
import { findUnreadableMeta } from '../../protocol/params.js';
import type { BodyLimits } from './body.js';
import type { Refuse } from './refusals.js';

/** An HTTP request, independent of the platform. */
export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** @throws BodyError */
  readonly readBody: (limits: BodyLimits) => Promise<string>;
  /** True if `readBody` returns a body without its Content-Encoding. Default: false. */
  readonly isDecoded?: boolean;
  /** Sentence about an empty body, for a program that may have read it. */
  readonly emptyBodyHint?: string | undefined;
}

/** The body of a request, parsed and checked. */
export interface ParsedRequest {
  readonly body: unknown;
  /** Undefined for a batch, and for a request without a body. */
  readonly message: Envelope | undefined;
}

interface RequestReadOptions {
  readonly limits: BodyLimits;
  readonly refuse: Refuse;
}

/**
 * Reads the body, or returns the response that refuses it. Keeps only members that JSON-RPC defines: receivers drop a
 * message with others.
 * @throws BodyError
 */
export async function readIncoming(
  { method, headers, readBody, isDecoded = false, emptyBodyHint }: IncomingRequest,
  { limits, refuse }: RequestReadOptions,
): Promise<ParsedRequest | Response> {
  if (method !== 'POST') return { body: undefined, message: undefined };
  if (!isJsonContentType(headers.get('content-type'))) {
    return refuse({ status: 415, message: 'The Content-Type must be application/json.' });
  }
  const coding = headers.get('content-encoding') ?? 'identity';
  if (!isDecoded && coding.toLowerCase() !== 'identity') {
    const message = `The Content-Encoding ${coding} is not read. Send the body as it is.`;
    // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16
    return refuse({ status: 415, message, headers: { 'Accept-Encoding': 'identity' } });
  }
  const text = await readBody(limits);
  if (text === '') {
    const message = ['Parse error: the body is empty.', emptyBodyHint].filter(Boolean).join(' ');
    return refuse({ status: 400, code: ErrorNumber.Parse, message });
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    const message = 'Parse error: the body is not valid JSON.';
    return refuse({ status: 400, code: ErrorNumber.Parse, message });
  }
  const isDeep = isTooDeep(text);
  if (Array.isArray(body) && !isDeep) return { body: body.map(normalizeBatchMember), message: undefined };
  const message = isDeep ? withoutDepths(readEnvelope(body)) : readEnvelope(body);
  if (message.kind === 'invalid') {
    const { id, problem } = message;
    return refuse({ status: 400, message: `Invalid request: ${problem}.`, id });
  }
  if (message.kind === 'request') {
    const fault = findUnreadableMeta(message.method, message.params);
    if (fault) return refuse({ status: 400, ...fault, id: message.id });
  }
  return { body: toMessage(message), message };
}

/** A member of a batch. An invalid one is kept; the session reports it. */
function normalizeBatchMember(member: unknown): unknown {
  const envelope = readEnvelope(member);
  return envelope.kind === 'invalid' ? member : toMessage(envelope);
}
