import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { type ChildExit, type ChildServer, ChildTransport } from '../upstream/child-transport.js';

/** How long a server may take to end once its client has gone. */
const childExitTimeoutMs = 2000;

/** The longest that a request may take, unless it is given up before. */
const callTimeoutMs = 600_000;

export interface ChildSessionOptions {
  readonly name: string;
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  /** Longest wait for the handshake. */
  readonly timeoutMs: number;
  /** Gives the handshake up. */
  readonly signal: AbortSignal;
  /** Takes what the server writes to stderr, and lines of its stdout that are no messages. */
  readonly onText: (text: string) => void;
  /** Takes the method of a notification that something changed. */
  readonly onChanged: (method: string) => void;
}

const changes = [
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
] as const;

/** The requests that are passed on. */
const methods = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
] as const;

export type SessionMethod = (typeof methods)[number];

export function isSessionMethod(method: unknown): method is SessionMethod {
  return methods.some((one) => one === method);
}

/** A server in a process of its own, and this program as its client. */
export class ChildSession {
  readonly #client: Client;
  readonly #transport: ChildTransport;

  private constructor(client: Client, transport: ChildTransport) {
    this.#client = client;
    this.#transport = transport;
  }

  /** @throws whatever keeps the server from answering; its process is gone then. */
  static async open(child: ChildServer, options: ChildSessionOptions): Promise<ChildSession> {
    const { name, version, capabilities, timeoutMs: timeout, signal, onText, onChanged } = options;
    const transport = new ChildTransport(child);
    transport.ontext = onText;
    // What hosts of apps speak today.
    const versionNegotiation = { mode: 'legacy' } as const;
    const client = new Client({ name, version }, { capabilities, versionNegotiation });
    for (const method of changes) client.setNotificationHandler(method, () => onChanged(method));
    const session = new ChildSession(client, transport);
    try {
      await client.connect(transport, { timeout, signal });
      return session;
    } catch (error) {
      transport.kill();
      await session.close();
      throw error;
    }
  }

  get server(): { readonly name: string; readonly version: string } {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    return { name, version };
  }

  /** How the process ended, when it has. */
  get ended(): Promise<ChildExit> {
    return this.#transport.ended;
  }

  /** @throws what the server answers instead of a result. */
  async request(
    method: SessionMethod,
    params: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const options = { timeout: callTimeoutMs, ...(signal && { signal }) };
    // What stands in the parameters is the server's to judge.
    const request = { method: method as 'tools/list', params: { ...params } };
    return await this.#client.request(request, options);
  }

  /** All pages of a list. */
  async list<Item>(
    method: 'tools/list' | 'resources/list',
    key: string,
    signal: AbortSignal,
  ): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor: unknown;
    do {
      const page = await this.request(method, cursor === undefined ? {} : { cursor }, signal);
      items.push(...(page[key] as readonly Item[]));
      cursor = page.nextCursor;
    } while (cursor !== undefined && items.length < maxListedItems);
    return items;
  }

  /** Asks the server to end, and ends it and what it started when it does not. */
  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#transport.close();
    const timer = setTimeout(() => this.#transport.kill(), childExitTimeoutMs);
    await this.#transport.ended;
    clearTimeout(timer);
  }
}

/** A server that never stops is one with an endless list. */
const maxListedItems = 10_000;
