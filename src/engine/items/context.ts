import type { ToolResult } from './builders.js';

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

/** The items of the server that a handler belongs to. */
export interface ItemRegistry {
  /** In the order of the server's lists. */
  list(query?: ItemQuery): ItemPage;
  /** By name, resources by address too; hidden ones as well. `kind` is `tools` when absent. */
  resolve(name: string, kind?: ListedKind): ListedItem | undefined;
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
  callTool(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolResult>;
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
