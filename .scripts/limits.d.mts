interface LimitTable {
  readonly subjects: readonly object[];
  readonly rows: readonly object[];
}

/** Capture of a client, as `capture-clients.mjs` wrote it. */
export interface Capture {
  readonly client: string;
  readonly version: string;
  readonly recorded: string;
  readonly instructionsKept: number;
  readonly lost: readonly string[];
  readonly names: Readonly<Record<string, string>>;
  readonly usual: readonly string[];
  readonly changed: Readonly<Record<string, readonly string[]>>;
  /** Lost and damaged tools by the keys of their servers: of direct entries, and with `--adapt`. */
  readonly harm: Readonly<Record<'direct' | 'adapted', Readonly<Record<string, ServerHarm>>>>;
}

interface ServerHarm {
  /** Number of tools that the model should get. */
  readonly tools: number;
  readonly lost: readonly string[];
  readonly damaged: readonly string[];
}

export declare function withLimits(text: string, limits: LimitTable): string;
export declare function withCaptures(text: string, captures: readonly Capture[], limits: LimitTable): string;
export declare function withHarm(text: string, captures: readonly Capture[], limits: LimitTable): string;
export declare function replacePart(text: string, mark: string, part: string): string;
export declare function readCaptures(): readonly Capture[];
export declare function readLimits(): LimitTable;
