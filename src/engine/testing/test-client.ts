import { Client, type ClientCapabilities, type Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import { type Era, metaKey } from '../protocol/eras.js';
import { anyResult } from '../upstream/any-result.js';
import type { FakeUser } from './fake-user.js';

/** The client that a server sees. */
export interface ClientIdentity {
  /** Default: `agenttools-test`. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** Capabilities in addition to the ones of the user. */
  readonly capabilities?: JsonObject | undefined;
}

export interface ConnectOptions {
  readonly era: Era;
  readonly client?: ClientIdentity | undefined;
  readonly user: FakeUser;
  /** Longest wait for one answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Subscribes to changes of lists on 2026-07-28. */
  readonly listens?: boolean;
}

/** A notification of the server. */
export interface ServerNotification {
  /** Such as `notifications/progress`. */
  readonly method: string;
  readonly params: JsonObject;
}

const negotiation = {
  legacy: { mode: 'legacy' },
  modern: { mode: { pin: '2026-07-28' } },
} as const;

/** The official client on one connection of one era, with a fake user. It returns results as the server sent them. */
export class ClientConnection {
  /** Notifications so far, in order. */
  notifications: ServerNotification[] = [];
  readonly era: Era;
  #user: FakeUser;
  readonly #client: Client;
  readonly #timeoutMs: number;
  readonly #listeners = new Set<() => void>();

  private constructor(client: Client, { user, era, timeoutMs }: ConnectOptions) {
    this.#client = client;
    this.#user = user;
    this.era = era;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws the error of the handshake; the transport is closed then */
  static async open(transport: Transport, options: ConnectOptions): Promise<ClientConnection> {
    const { era, client: identity = {}, user, timeoutMs: timeout } = options;
    const capabilities = { ...user.capabilities, ...identity.capabilities } as ClientCapabilities;
    const { name = 'agenttools-test', version = '1.0.0' } = identity;
    const client = new Client(
      { name, version },
      { capabilities, versionNegotiation: negotiation[era], enforceStrictCapabilities: false },
    );
    const connection = new ClientConnection(client, options);
    connection.#answer(capabilities);
    try {
      await client.connect(transport, { timeout });
      connection.#recordFrom(transport);
      await connection.#prepare(options);
    } catch (error) {
      await client.close().catch(() => {});
      throw error;
    }
    return connection;
  }

  #answer({ elicitation, sampling, roots }: ClientCapabilities): void {
    const client = this.#client;
    if (elicitation)
      client.setRequestHandler('elicitation/create', ({ params }) => this.#user.elicit(params) as never);
    if (sampling)
      client.setRequestHandler('sampling/createMessage', ({ params }) => this.#user.sample(params) as never);
    if (roots) client.setRequestHandler('roots/list', () => this.#user.listRoots() as never);
  }

  /** Forgets the notifications so far, and answers as another user with the same capabilities. */
  restart(user: FakeUser): void {
    this.answerAs(user);
    this.notifications = [];
  }

  /** Answers as another user with the same capabilities from now on. */
  answerAs(user: FakeUser): void {
    this.#user = user;
  }

  #recordFrom(transport: Transport): void {
    const receive = transport.onmessage;
    transport.onmessage = (message, extra) => {
      const { method, params, id } = message as JsonObject;
      if (typeof method === 'string' && id === undefined) {
        this.notifications.push({ method, params: isRecord(params) ? params : {} });
        for (const listener of this.#listeners) listener();
      }
      receive?.(message, extra);
    };
  }

  /** Asks for all log messages, and for changes of lists. */
  async #prepare({ era, listens, timeoutMs: timeout }: ConnectOptions): Promise<void> {
    const has = this.#client.getServerCapabilities() ?? {};
    if (era === 'legacy') {
      if (has.logging) await this.#client.setLoggingLevel('debug', { timeout });
      return;
    }
    if (!listens) return;
    const { tools, prompts, resources } = has;
    const filter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    };
    if (Object.keys(filter).length > 0) await this.#client.listen(filter, { timeout });
  }

  /** Name, version, title and other texts of the server. */
  get serverInfo(): JsonObject {
    return (this.#client.getServerVersion() ?? {}) as JsonObject;
  }

  get serverCapabilities(): JsonObject {
    return (this.#client.getServerCapabilities() ?? {}) as JsonObject;
  }

  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  /**
   * Sends a request, and answers the questions of the server until the result comes.
   * @throws ProtocolError for an error of the server; SdkError without an answer in time
   */
  async request(
    method: string,
    params: JsonObject,
    timeoutMs: number = this.#timeoutMs,
  ): Promise<JsonObject> {
    const meta = this.era === 'modern' ? { _meta: { [metaKey.logLevel]: 'debug' } } : {};
    const result = await this.#client.request({ method, params: { ...params, ...meta } }, anyResult, {
      timeout: timeoutMs,
      onprogress: () => {},
      resetTimeoutOnProgress: false,
    });
    return result as JsonObject;
  }

  /** All pages of a list; empty if the server does not declare the capability. */
  async list(list: ListName): Promise<readonly JsonObject[]> {
    const { method, capability } = lists[list];
    if (this.serverCapabilities[capability] === undefined) return [];
    const items: JsonObject[] = [];
    let cursor: unknown;
    do {
      const page = await this.request(method, cursor === undefined ? {} : { cursor });
      items.push(...((page[list] ?? []) as readonly JsonObject[]));
      cursor = page.nextCursor;
    } while (cursor !== undefined && items.length < maxListedItems);
    return items;
  }

  /** Resolves when the notifications satisfy a condition, or the time is up. Returns the last value of the condition. */
  async waitFor(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    if (condition()) return true;
    return await new Promise((resolve) => {
      const settle = () => {
        const isMet = condition();
        if (!isMet && !isLate) return;
        clearTimeout(timer);
        this.#listeners.delete(settle);
        resolve(isMet);
      };
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        settle();
      }, timeoutMs);
      this.#listeners.add(settle);
    });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Lists of a server by the key of their items. */
const lists = {
  tools: { method: 'tools/list', capability: 'tools' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
} as const;

export type ListName = keyof typeof lists;

/** Limit for a server with an endless list. */
const maxListedItems = 10_000;
