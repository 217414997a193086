import type { InferInput } from '../schema/inferred-types.js';
import type { ToolResult } from './result-builders.js';

/** Severity of a log message. @see MCP, server/utilities/logging */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error';

/** Kinds of items that clients can list. Resource templates count as resources. */
export type ListedKind = 'tools' | 'prompts' | 'resources';

/** An item of the server, as its clients see it. */
export interface ListedItem {
  readonly kind: ListedKind;
  /** Wire name. Resources may share a name. */
  readonly name: string;
  /** Qualified name. */
  readonly item: string;
  /** Entry of the list method: a copy, which you may change. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** Omitted from lists; still usable by name. Also true for tools that only apps may call: no model sees them. */
  readonly hidden: boolean;
  /** Present if only apps may call the tool. */
  readonly forApps?: true;
}

/** One page of a server's items. */
export interface ItemPage {
  readonly items: readonly ListedItem[];
  /** Cursor of the next page; absent on the last page. */
  readonly nextCursor?: string;
}

/** Query for items of the server. */
export interface ItemQuery {
  /** Default: `tools`. */
  readonly kind?: ListedKind;
  /** Include items that lists omit. Default: false. */
  readonly includeHidden?: boolean;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string;
  /** Items per page, at least 1. Default: all. */
  readonly pageSize?: number;
}

/** Query for items that the current client sees. */
export interface ShownQuery {
  /** Default: `tools`. */
  readonly kind?: ListedKind;
  /** Only items with this name. */
  readonly name?: string;
}

/** The items of the server that a handler belongs to. */
export interface ItemRegistry {
  /** In the order of the server's lists. */
  list(query?: ItemQuery): ItemPage;
  /** Finds an item by name, or a resource by URI. Includes hidden items. Default for `kind`: `tools`. */
  resolve(name: string, kind?: ListedKind): ListedItem | undefined;
  /**
   * All items of a kind as the current client sees them: with UI if the client shows UI, in the form of its revision,
   * and hidden if the server's own `list` omits them. Resources of templates are not included.
   */
  shown(query?: ShownQuery): Promise<readonly ListedItem[]>;
}

/** Options for a tool call from another tool. */
export interface CallOptions {
  /** Receives the progress of the called tool. Default: the progress is dropped. */
  readonly onProgress?: (
    progress: number,
    more?: { readonly total?: number; readonly message?: string },
  ) => void;
}

/** The user's answer to a form: accepted, declined or cancelled. @see MCP, client/elicitation */
export type Answer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

/** The user's answer to a request to open a URL. */
export interface UrlAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
}

/** Options for an input request to the client. */
export interface AskOptions {
  /** Finds the answer when the handler runs again. Default: by the order of input requests, `e1`, `e2`, … */
  readonly key?: string;
  /** Longest wait for an answer in milliseconds, if the handler blocks until the client answers. Default: no limit. */
  readonly timeoutMs?: number;
}

/** A root folder of the client. @see MCP, client/roots */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** JSON values that the server keeps between the requests of one session. */
export interface Session {
  /** A fresh copy of the last value; undefined if the key has no value. */
  get(key: string): unknown;
  /**
   * Stores a JSON copy of the value. Undefined removes the key.
   * @throws TypeError if a part of the value has no JSON form or exceeds a limit, with the path of that part
   */
  set(key: string, value: unknown): void;
}

/** Context of one handler run: the client, the server, and functions for this call. */
export interface Context {
  /** Aborts when the client cancels or disconnects, or when the time is up. */
  readonly signal: AbortSignal;
  /** Reports progress, if the client asked for it. `progress` must grow from call to call. */
  progress(progress: number, more?: { readonly total?: number; readonly message?: string }): void;
  /** Sends messages to the client's log. */
  readonly log: Readonly<Record<LogLevel, (data: unknown) => void>>;
  /** The tool's options: the user's values over the defaults of the definition. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client, if it has identified itself. */
  readonly client: {
    readonly name: string | undefined;
    readonly version: string | undefined;
    readonly capabilities: Readonly<Record<string, unknown>>;
  };
  /** True if the client has a capability, such as `elicitation` or `sampling`. */
  can(capability: string): boolean;
  /** True if the client shows UI apps and the user allows it. */
  readonly ui: boolean;
  /** The items of this server. */
  readonly registry: ItemRegistry;
  /**
   * Calls a tool of this server by its name, even a hidden tool, as a client would: arguments and result are checked. A
   * failed tool returns a result with `isError`. The call ends with this call at the latest.
   * @throws ToolError if there is no such tool, or calls are nested too deep
   */
  callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<ToolResult>;
  /**
   * Asks the user with a form of flat fields: strings, numbers, booleans, and choices. The answer is checked and cast
   * as arguments are. If the protocol has no input requests during a call, the handler runs again from its beginning
   * with the answers: see {@link step}.
   * @throws MissingCapabilityError if the client cannot ask; TypeError if the schema cannot become a form
   */
  elicit<const S>(message: string, schema: S, options?: AskOptions): Promise<Answer<InferInput<S>>>;
  /** Sends the user to a URL, for data that must not pass through the client. @throws as {@link elicit} does */
  elicitUrl(message: string, url: string, options?: AskOptions): Promise<UrlAnswer>;
  /** Runs work once, even if the handler runs again. The outcome is a JSON value. */
  step<T>(key: string, work: () => T | Promise<T>): Promise<T>;
  /**
   * Asks the client's model: params and result of `sampling/createMessage`.
   * @deprecated MCP 2026-07-28 deprecates sampling
   */
  sample(
    params: Readonly<Record<string, unknown>>,
    options?: AskOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** The root folders of the client. @deprecated MCP 2026-07-28 deprecates roots */
  roots(options?: AskOptions): Promise<readonly Root[]>;
  /** The client's first root as an absolute path, if known; up to 2025-11-25 only. */
  readonly root: string | undefined;
  /** Values between the requests of this session; undefined on 2026-07-28, which has no sessions. */
  readonly session: Session | undefined;
  /** Claims of the request's access token; undefined if no token was required. */
  readonly auth: Readonly<Record<string, unknown>> | undefined;
  /** Fields of the request's `_meta` by name, without fields of the protocol. The client chooses them. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Notifies clients that a list has changed. */
  notifyChanged(kind: ListedKind): void;
  /** Notifies the subscribers of a resource that it has changed. */
  notifyResourceUpdated(uri: string): void;
  /**
   * Ends the response stream of this call over HTTP, up to 2025-11-25, so that the client needs no open connection. The
   * client resumes the stream later and receives the messages that it missed. Otherwise has no effect.
   */
  closeStream(): void;
  /**
   * Begins the task of a tool with `task` and `taskBegins: "handler"`: a client that supports tasks receives the task
   * and stops waiting. Earlier input requests have their answers by then. Otherwise has no effect.
   */
  beginTask(): void;
  /** Storage for the time of this call. */
  readonly locals: Record<string, unknown>;
  /** MCP revision of this request, such as `2026-07-28`. */
  readonly protocolVersion: string;
  readonly requestId: string | number | undefined;
  readonly server: { readonly name: string; readonly version: string };
  /** The tool being called; absent in prompts and resources. */
  readonly tool?: { readonly name: string };
  /** In completions: the arguments that are already filled in. */
  readonly arguments?: Readonly<Record<string, string>>;
}
