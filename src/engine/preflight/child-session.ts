import { Client, type ClientCapabilities, type Transport } from '@modelcontextprotocol/client';
import { type ChildExit, type ChildServer, ChildTransport } from '../upstream/child-transport.js';

/** Longest time for a server to exit after its client disconnects. */
const childExitTimeoutMs = 2000;

/** Longest time of a request, unless it is aborted before. */
const callTimeoutMs = 600_000;

export interface ChildSessionOptions {
  readonly name: string;
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  /** Longest wait for the handshake. */
  readonly timeoutMs: number;
  /** Aborts the handshake. */
  readonly signal: AbortSignal;
  /** Takes text that the server writes to stderr, and lines of its stdout that are not messages. */
  readonly onText: (text: string) => void;
  /** Takes the method of a notification that something changed. */
  readonly onChanged: (method: string) => void;
  /** Answers questions of the server to the user. Needed for the capability `elicitation`. */
  readonly onQuestion?: (params: Question, signal: AbortSignal) => Promise<Answer>;
}

/** Params of `elicitation/create`. */
export type Question = Readonly<Record<string, unknown>>;

/** The answer of the user. */
export interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string | number | boolean | string[]>;
}

/** Connection to a server that may run in another process. */
export interface SessionTransport extends Transport {
  /** Resolves when the server has ended. */
  readonly ended: Promise<ChildExit>;
  /** Ends the server. */
  kill(): void;
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
  'prompts/get',
] as const;

export type SessionMethod = (typeof methods)[number];

export function isSessionMethod(method: unknown): method is SessionMethod {
  return methods.some((one) => one === method);
}

/** A server, usually in a child process, with this program as its client. */
export class ChildSession {
  readonly #client: Client;
  readonly #transport: SessionTransport;

  private constructor(client: Client, transport: SessionTransport) {
    this.#client = client;
    this.#transport = transport;
  }

  /** @throws the error of the handshake; the process has ended then. */
  static async open(child: ChildServer, options: ChildSessionOptions): Promise<ChildSession> {
    const transport = new ChildTransport(child);
    transport.ontext = options.onText;
    return await ChildSession.over(transport, options);
  }

  /** @throws the error of the handshake; the server has ended then. */
  static async over(
    transport: SessionTransport,
    options: Omit<ChildSessionOptions, 'onText'>,
  ): Promise<ChildSession> {
    const { name, version, capabilities, timeoutMs: timeout, signal, onChanged, onQuestion } = options;
    // Hosts of apps use the legacy era today.
    const versionNegotiation = { mode: 'legacy' } as const;
    const client = new Client({ name, version }, { capabilities, versionNegotiation });
    for (const method of changes) client.setNotificationHandler(method, () => onChanged(method));
    if (onQuestion) {
      client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => ({
        ...(await onQuestion(params, mcpReq.signal)),
      }));
    }
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

  /** Resolves with the exit of the process. */
  get ended(): Promise<ChildExit> {
    return this.#transport.ended;
  }

  /** @throws the error that the server answers instead of a result. */
  async request(
    method: SessionMethod,
    params: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const options = { timeout: callTimeoutMs, ...(signal && { signal }) };
    // The server checks the parameters itself.
    const request = { method: method as 'tools/list', params: { ...params } };
    return await this.#client.request(request, options);
  }

  /** All pages of a list. */
  async list<Item>(
    method: 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list',
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

  /** Closes the connection. Kills the server and its child processes if it does not exit. */
  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#transport.close();
    const timer = setTimeout(() => this.#transport.kill(), childExitTimeoutMs);
    await this.#transport.ended;
    clearTimeout(timer);
  }
}

/** Limit for a server with an endless list. */
const maxListedItems = 10_000;
