import {
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { outgoingFetch } from '../base/outgoing-fetch.js';
import type { UpstreamAddress } from '../runtime/upstream.js';
import { type AccountFetchOptions, createAccountFetch } from '../sign-in/account-fetch.js';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** Longest line of a response. An event stream may have any number of lines. */
const maxLineBytes = 16 * 1024 * 1024;

/** A broken stream is resumed up to six times, within about a minute. Delays are in milliseconds. */
const reconnectionOptions = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 6,
};

/** Error message of a request if its response stream ends early. */
export const streamEnded = 'the connection broke before the answer came';

/** Code of the error for a broken connection. The upstream server did not send it. */
export const brokenCode = -32_000;

/** The sign-in to an upstream server. */
export type RemoteSignIn = Omit<AccountFetchOptions, 'fetch'>;

/**
 * Creates the transport of an upstream server with a URL. It follows no redirect to another origin. Requests without
 * credentials get the token of the sign-in.
 */
export function createHttpTransport(
  { url, headers, transport }: UpstreamAddress,
  signIn?: RemoteSignIn,
): Transport {
  const send = signIn ? createAccountFetch({ ...signIn, fetch: boundedFetch }) : boundedFetch;
  const options = { requestInit: { headers: { ...headers } }, fetch: send };
  return transport === 'sse'
    ? new SSEClientTransport(new URL(url), options)
    : new HttpTransport(new URL(url), { ...options, reconnectionOptions });
}

/** Fails a request if its response stream ends. The transport of the SDK would wait on. */
class HttpTransport extends StreamableHTTPClientTransport {
  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    const isRequest = 'method' in message && 'id' in message;
    if (!isRequest || options?.onRequestStreamEnd) return await super.send(message, options);
    const { id } = message;
    const onRequestStreamEnd = () => {
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: brokenCode, message: streamEnded } });
    };
    return await super.send(message, { ...options, onRequestStreamEnd });
  }
}

/** Fetches, and aborts a response with an overlong line. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await outgoingFetch(url, init);
  if (!response.body) return response;
  let length = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(0x0a);
      length = end === -1 ? length + chunk.length : chunk.length - end - 1;
      if (length <= maxLineBytes) controller.enqueue(chunk);
      else controller.error(new Error('it sent a line of more than 16 MiB'));
    },
  });
  const body = response.body.pipeThrough(bounded);
  const { status, statusText, headers } = response;
  const copy = new Response(body, { status, statusText, headers });
  // The check of redirects reads the URL of the response.
  Object.defineProperties(copy, {
    url: { value: response.url },
    redirected: { value: response.redirected },
    type: { value: response.type },
  });
  return copy;
}
