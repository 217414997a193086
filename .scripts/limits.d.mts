interface LimitTable {
  readonly subjects: readonly object[];
  readonly rows: readonly object[];
}

export declare function withLimits(text: string, limits: LimitTable): string;
export declare function readLimits(): LimitTable;
