import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterFile } from './file-jobs.js';
import type { Message } from './program.js';

/** How the official client is made to speak. */
export const modes = {
  legacy: 'legacy',
  auto: 'auto',
  pinned: { pin: '2026-07-28' },
} as const;

export type Mode = keyof typeof modes;

export interface HttpClientOptions {
  readonly mode: Mode;
  readonly client?: Omit<ClientOptions, 'versionNegotiation'>;
  /** Takes requests in place of the network. */
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Who answers what the server asks, by method. */
  readonly answers?: Readonly<Record<string, (params: Message) => unknown>>;
  /** Called before the client connects. */
  readonly prepare?: (client: Client) => void;
}

const clients: Client[] = [];

afterFile(async () => {
  await Promise.allSettled(clients.map(async (client) => await client.close()));
});

/** The official client, connected to a server over HTTP. It is closed after the test file at the latest. */
export async function connectHttp(url: string, options: HttpClientOptions): Promise<Client> {
  const { mode, fetch: take, headers, answers = {}, prepare } = options;
  const client = new Client(
    { name: 'official', version: '1.0.0' },
    { ...options.client, versionNegotiation: { mode: modes[mode] } },
  );
  for (const [method, answer] of Object.entries(answers)) {
    client.setRequestHandler(method as 'elicitation/create', ({ params }) => answer(params) as never);
  }
  prepare?.(client);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...(take && { fetch: async (to: string | URL, init?: RequestInit) => await take(new Request(to, init)) }),
    ...(headers && { requestInit: { headers: { ...headers } } }),
  });
  await client.connect(transport);
  clients.push(client);
  return client;
}

/** What a request of 2026-07-28 carries in `_meta`. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
} as const;

/** A message, or a text that is none, as clients of any revision send it. */
export function postRequest(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Request {
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** The first message of a session. */
export function initializeMessage(
  protocolVersion = '2025-11-25',
  { id = 0, capabilities = {} }: { readonly id?: string | number; readonly capabilities?: object } = {},
) {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '1' } };
  return { jsonrpc: '2.0', id, method: 'initialize', params };
}

/** A request of 2026-07-28 as `fetch` takes it, with the headers that belong to it. */
export function modernRequest(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Request {
  const name = params.name ?? params.uri;
  const body = { jsonrpc: '2.0', id: 1, method, params: { _meta: envelope, ...params } };
  return postRequest(url, body, {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
    ...headers,
  });
}
