import { Client } from '@modelcontextprotocol/client';
import { AgentToolsError } from '../base/errors.js';
import { errorMessage } from '../base/thrown-value.js';
import { withTimeLimit } from '../base/time-limit-signal.js';
import { endpointName } from '../extension/upstream-secrets.js';
import { createHttpTransport, type RemoteSignIn } from '../upstream/http-transport.js';
import { httpStatus } from '../upstream/upstream-errors.js';
import { describeInvalidResult } from './invalid-result.js';
import { readListing, readTools, type ServerListing } from './read-record.js';

/** A remote server to ask. */
export interface RemoteServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: found out by trying. */
  readonly transport: 'http' | 'sse' | undefined;
}

export interface RemoteVerification extends Partial<ServerListing> {
  readonly transport: 'http' | 'sse';
  /** True if the server wants a sign-in before it answers. */
  readonly wantsSignIn: boolean;
  /** Number of tools on the first page of the list. */
  readonly tools: number;
  /** Version in its handshake. Absent if it wants a sign-in, or names none. */
  readonly serverVersion?: string;
}

interface RemoteLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Default: no sign-in. */
  readonly signIn?: RemoteSignIn | undefined;
  /** A sentence at the end of the error. */
  readonly wayOut?: string;
  /** Asks for no lists, only for the transport. */
  readonly isHandshakeOnly?: boolean;
}

/** Answers to an `initialize` over Streamable HTTP of servers with the older transport. */
const olderStatuses: readonly (number | undefined)[] = [400, 404, 405, 406, 415, 501];

/**
 * Asks a remote server for its tools, over Streamable HTTP, then over the older transport.
 * @throws AgentToolsError if it does not answer as an MCP server
 * @see MCP 2025-11-25, basic/transports, "Backwards Compatibility"
 */
export async function verifyRemote(server: RemoteServer, limits: RemoteLimits): Promise<RemoteVerification> {
  const transports = server.transport ? [server.transport] : (['http', 'sse'] as const);
  let failure: unknown;
  for (const transport of transports) {
    try {
      const listed = await listItems({ ...server, transport }, limits);
      return { transport, wantsSignIn: false, ...listed };
    } catch (error) {
      if (error instanceof AgentToolsError) throw error;
      const status = httpStatus(error);
      if (status === 401 || status === 403) return { transport, wantsSignIn: true, tools: 0 };
      failure ??= error;
      if (!olderStatuses.includes(status)) break;
    }
  }
  const { signal, wayOut } = limits;
  signal.throwIfAborted();
  const message = `The server at ${endpointName({ url: server.url })} did not answer as an MCP server: ${describeFailure(failure)}. Check its address.${wayOut === undefined ? '' : ` ${wayOut}`}`;
  throw new AgentToolsError('failed', message, { cause: failure });
}

async function listItems(
  { url, headers, transport }: RemoteServer & { readonly transport: 'http' | 'sse' },
  { timeoutMs, signal, signIn, isHandshakeOnly = false }: RemoteLimits,
): Promise<Omit<RemoteVerification, 'transport' | 'wantsSignIn'>> {
  const client = new Client(
    { name: 'agenttools-verify', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' } },
  );
  const options = { timeout: timeoutMs, signal: withTimeLimit(signal, timeoutMs) };
  try {
    await client.connect(createHttpTransport({ url, headers, transport }, signIn), options);
    const serverVersion = client.getServerVersion()?.version;
    const answer = serverVersion === undefined ? {} : { serverVersion };
    if (isHandshakeOnly) return { tools: 0, ...answer };
    const tools = await readTools(client, () => options);
    return { tools: tools.length, ...answer, ...(await readListing(client, tools, () => options)) };
  } finally {
    await client.close().catch(() => {});
  }
}

function describeFailure(error: unknown): string {
  const status = httpStatus(error);
  if (status !== undefined) return `status ${status}`;
  const { cause } = error as Error;
  return describeInvalidResult(errorMessage(cause instanceof Error ? cause : error)).replace(/\.$/, '');
}
