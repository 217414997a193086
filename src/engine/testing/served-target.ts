import type { Transport } from '@modelcontextprotocol/client';
import type { Host } from '../../host.js';
import type { UpstreamEndpoint } from '../extension/upstream-endpoint.js';
import type { JsonObject } from '../protocol/envelope.js';
import { prepareServer } from '../serve/prepare-server.js';
import { skippedPrefix } from '../server/server-resolver.js';
import { ChildTransport } from '../upstream/child-transport.js';
import { createHttpTransport } from '../upstream/http-transport.js';
import { MemoryTransport } from './memory-transport.js';
import { ClientConnection, type ConnectOptions } from './test-client.js';

/** A server under test. */
export interface TestTarget {
  /** Lines about items that the server leaves out, because they are faulty. */
  readonly skipped: readonly string[];
  connect(options: ConnectOptions): Promise<ClientConnection>;
  /** Takes a connection back that is not needed any more. */
  release(connection: ClientConnection): Promise<void>;
  /** Ends the server. */
  close(): Promise<void>;
}

export interface ExtensionTarget {
  /** Reference to the server, as `start` takes it. */
  readonly server: string;
  readonly host: Pick<Host, 'cwd' | 'env' | 'home' | 'platform' | 'stderr'>;
  /** Options of tools, by name. Replaces the options of the environment. */
  readonly options?: JsonObject | undefined;
  /** Takes lines of the server: faults, items that are left out. */
  readonly report: (line: string) => void;
}

/**
 * Serves a server of an extension in this process, and its code in one extension host. Each connection is a client of its
 * own.
 * @throws AgentToolsError if there is no such server, or it cannot be served
 */
export async function serveExtension({
  server,
  host,
  options,
  report,
}: ExtensionTarget): Promise<TestTarget> {
  const ending = new AbortController();
  const skipped: string[] = [];
  const note = (line: string) => {
    if (line.startsWith(skippedPrefix)) skipped.push(line.slice(skippedPrefix.length));
    report(line);
  };
  const env = { ...host.env, ...(options && { MCP_TOOL_OPTIONS: JSON.stringify(options) }) };
  const prepared = await prepareServer(
    { server, strict: false },
    { host: { ...host, env }, report: note, signal: ending.signal },
  );
  return {
    skipped,
    connect: async (connect) => await ClientConnection.open(new MemoryTransport(prepared, report), connect),
    release: async (connection) => await connection.close(),
    close: async () => {
      ending.abort();
      await prepared.live.close();
      await prepared.close();
    },
  };
}

/** An existing server. A program runs once for each client at the same time. */
export function existingTarget(endpoint: UpstreamEndpoint, onText: (text: string) => void): TestTarget {
  const children = new Set<ChildTransport>();
  const idle = new Map<string, ClientConnection[]>();
  const keys = new Map<ClientConnection, string>();
  const open = (): Transport => {
    if ('url' in endpoint) return createHttpTransport(endpoint);
    const child = new ChildTransport(endpoint);
    child.ontext = onText;
    children.add(child);
    return child;
  };
  return {
    skipped: [],
    connect: async (options) => {
      const { era, client = {}, user, listens = false } = options;
      const key = JSON.stringify([era, client, user.capabilities, listens]);
      const known = idle.get(key)?.pop();
      known?.restart(user);
      const connection = known ?? (await ClientConnection.open(open(), options));
      keys.set(connection, key);
      return connection;
    },
    release: async (connection) => {
      const key = keys.get(connection) ?? '';
      idle.set(key, [...(idle.get(key) ?? []), connection]);
    },
    close: async () => {
      await Promise.all([...keys.keys()].map(async (connection) => await connection.close().catch(() => {})));
      await Promise.all([...children].map(endChild));
    },
  };
}

/** Longest time for a program to exit after its client disconnects, in milliseconds. */
const exitTimeoutMs = 2000;

async function endChild(child: ChildTransport): Promise<void> {
  await child.close();
  const timer = setTimeout(() => child.kill(), exitTimeoutMs);
  await child.ended;
  clearTimeout(timer);
}
