import type { InferInput } from '../schema/inferred-types.js';
import type { ToolResult } from './result-builders.js';

/** Where a message stands between noise and alarm. @see MCP, server/utilities/logging */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error';

/** The kinds of item that clients can list; templates are resources. */
export type ListedKind = 'tools' | 'prompts' | 'resources';

/** An item of the server, as its clients see it. */
export interface ListedItem {
  readonly kind: ListedKind;
  /** The name that clients call it by; those of resources need not differ. */
  readonly name: string;
  /** Qualified name. */
  readonly item: string;
  /** What the list method of its kind shows: a copy, which is yours. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** Left out of lists; still usable by name. So are tools that only apps may call: no model is shown them. */
  readonly hidden: boolean;
  /** A tool that only apps may call. */
  readonly forApps?: true;
}

/** One page of a server's items. */
export interface ItemPage {
  readonly items: readonly ListedItem[];
  /** Hands over to the next page; absent on the last. */
  readonly nextCursor?: string;
}

/** Which items are asked for. */
export interface ItemQuery {
  /** `tools` when absent. */
  readonly kind?: ListedKind;
  /** Those that lists leave out too; false when absent. */
  readonly includeHidden?: boolean;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
  /** Items per page, at least 1; all when absent. */
  readonly pageSize?: number;
}

/** Which items are asked for, as whoever asks is shown them. */
export interface ShownQuery {
  /** `tools` when absent. */
  readonly kind?: ListedKind;
  /** Only those of this name. */
  readonly name?: string;
}

/** The items of the server that a handler belongs to. */
export interface ItemRegistry {
  /** In the order of the server's lists. */
  list(query?: ItemQuery): ItemPage;
  /** By name, resources by address too; hidden ones as well. `kind` is `tools` when absent. */
  resolve(name: string, kind?: ListedKind): ListedItem | undefined;
  /**
   * All items of a kind as whoever asks is shown them: with UI for clients that show it, in the form of their revision,
   * and hidden if the server's own `list` leaves them out. Resources of templates are not among them.
   */
  shown(query?: ShownQuery): Promise<readonly ListedItem[]>;
}

/** How a tool is called by another. */
export interface CallOptions {
  /** Told what the called tool reports; its progress is its own affair when absent. */
  readonly onProgress?: (
    progress: number,
    more?: { readonly total?: number; readonly message?: string },
  ) => void;
}

/** What the user made of a question: filled in, refused, or put away. @see MCP, client/elicitation */
export type Answer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** What a user who was sent somewhere made of it. */
export interface UrlAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
}

/** How something is asked of the client. */
export interface AskOptions {
  /** Finds the answer when the handler runs again; by the order of questions when absent: `e1`, `e2`, … */
  readonly key?: string;
  /** How long to wait for an answer, where the client is asked while the handler waits; no limit of its own when absent. */
  readonly timeoutMs?: number;
}

/** A folder that the client works in. @see MCP, client/roots */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** JSON values that the server keeps between the requests of one session. */
export interface Session {
  /** A fresh copy of the value that was set last; undefined if the key has none. */
  get(key: string): unknown;
  /**
   * Keeps a copy of the value as JSON writes it. Undefined removes the key.
   * @throws TypeError if a part of the value has no JSON form or exceeds a limit, with the path of that part
   */
  set(key: string, value: unknown): void;
}

/** What a handler may know and do besides its arguments. */
export interface Context {
  /** Aborts when the client cancels, the time is up, or the client has gone. */
  readonly signal: AbortSignal;
  /** Reports progress, if the client asked for it. `progress` must grow from call to call. */
  progress(progress: number, more?: { readonly total?: number; readonly message?: string }): void;
  /** Messages for the client's log. */
  readonly log: Readonly<Record<LogLevel, (data: unknown) => void>>;
  /** The tool's options: the definition's defaults, overlaid with what the user set. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Who is asking, as far as it told. */
  readonly client: {
    readonly name: string | undefined;
    readonly version: string | undefined;
    readonly capabilities: Readonly<Record<string, unknown>>;
  };
  /** Whether the client has a capability, such as `elicitation` or `sampling`. */
  can(capability: string): boolean;
  /** Whether the client shows UI apps, and the user lets it. */
  readonly ui: boolean;
  /** What this server offers. */
  readonly registry: ItemRegistry;
  /**
   * Calls a tool of this server by its name, a hidden one too, as a client would: arguments and result are checked. A
   * tool that fails gives a result with `isError`. It ends with this call at the latest.
   * @throws ToolError if there is no such tool, or calls are nested too deep
   */
  callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolResult>;
  /**
   * Asks the user, with a form of flat fields: strings, numbers, booleans, and choices. What comes back has been checked
   * and cast as arguments are. Where the protocol has no questions in the middle of a call, the handler runs again from
   * its beginning once the answers are there: see {@link step}.
   * @throws MissingCapabilityError if the client cannot ask; TypeError for a schema that no form can be made of
   */
  elicit<const S>(message: string, schema: S, options?: AskOptions): Promise<Answer<InferInput<S>>>;
  /** Sends the user to an address, for what must not pass through the client. @throws as {@link elicit} does */
  elicitUrl(message: string, url: string, options?: AskOptions): Promise<UrlAnswer>;
  /** Does something once, however often the handler runs again. The outcome is a JSON value. */
  step<T>(key: string, work: () => T | Promise<T>): Promise<T>;
  /**
   * Has the client's model answer: params and result of `sampling/createMessage`.
   * @deprecated MCP 2026-07-28 deprecates sampling
   */
  sample(
    params: Readonly<Record<string, unknown>>,
    options?: AskOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /**
   * The folders that the client works in.
   * @deprecated MCP 2026-07-28 deprecates roots
   */
  roots(options?: AskOptions): Promise<readonly Root[]>;
  /** The client's first root as an absolute path, as far as it is known; up to 2025-11-25 only. */
  readonly root: string | undefined;
  /** What is kept between the requests of this session; undefined on 2026-07-28, which has none. */
  readonly session: Session | undefined;
  /** Claims of the token that the request came with; undefined where none was asked for. */
  readonly auth: Readonly<Record<string, unknown>> | undefined;
  /** Tells clients that a list is not what it was. */
  notifyChanged(kind: ListedKind): void;
  /** Tells those who subscribed to a resource that it is not what it was. */
  notifyResourceUpdated(uri: string): void;
  /**
   * Lets the client go on without a connection: over HTTP, up to 2025-11-25, ends the stream that this call is answered
   * on. The client takes it up again and finds what was sent meanwhile. Elsewhere it does nothing.
   */
  closeStream(): void;
  /**
   * From here on nobody has to wait: of a tool with `task` and `taskBegins: "handler"`, a client that knows tasks is
   * handed one. What is asked before has been answered by then. Elsewhere it does nothing.
   */
  beginTask(): void;
  /** Kept for the time of this call. */
  readonly locals: Record<string, unknown>;
  /** Revision of MCP this request is made in, such as `2026-07-28`. */
  readonly protocolVersion: string;
  readonly requestId: string | number | undefined;
  readonly server: { readonly name: string; readonly version: string };
  /** The tool being called; absent in prompts and resources. */
  readonly tool?: { readonly name: string };
  /** In completions: the arguments already filled in. */
  readonly arguments?: Readonly<Record<string, string>>;
}
