import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { UpstreamAddress } from '../runtime/upstream.js';

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];
type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** The longest line of an answer. A stream of events may have any number of them. */
const maxLineBytes = 16 * 1024 * 1024;

/** A stream that breaks is taken up again this often, for about a minute. */
const reconnectionOptions = {
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 6,
};

/** What a client is told when the stream ends on which it waits for an answer. */
const streamEnded = 'the connection broke before the answer came';

/** The number of an error that an upstream server did not send. */
export const brokenCode = -32_000;

/** How a server at an address is spoken to. Nothing of it follows a redirect to another origin. */
export function createHttpTransport({ url, headers, transport }: UpstreamAddress): Transport {
  const options = { requestInit: { headers: { ...headers } }, fetch: boundedFetch };
  return transport === 'sse'
    ? new SSEClientTransport(new URL(url), options)
    : new HttpTransport(new URL(url), { ...options, reconnectionOptions });
}

/** The SDK's, which goes on waiting for an answer when the stream that was to bring it has ended. */
class HttpTransport extends StreamableHTTPClientTransport {
  override async send(message: Message, options?: SendOptions): Promise<void> {
    const isRequest = 'method' in message && 'id' in message;
    if (!isRequest || options?.onRequestStreamEnd) return await super.send(message, options);
    const { id } = message;
    const onRequestStreamEnd = () => {
      this.onmessage?.({ jsonrpc: '2.0', id, error: { code: brokenCode, message: streamEnded } });
    };
    return await super.send(message, { ...options, onRequestStreamEnd });
  }
}

/** Fetches, and breaks off an answer that never comes to an end of its line. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
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
  // Whoever judges redirects looks at where the answer came from.
  Object.defineProperties(copy, {
    url: { value: response.url },
    redirected: { value: response.redirected },
    type: { value: response.type },
  });
  return copy;
}
