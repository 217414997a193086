/** Where a message stands between noise and alarm. @see MCP, server/utilities/logging */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error';

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
