/** Findings in a recorded server: numbers by code. */
export interface ServerFindings {
  readonly server: string;
  readonly recorded: string;
  readonly tools: number;
  readonly found: Readonly<Record<string, number>>;
  readonly more: Readonly<Record<string, number>>;
}

export declare function withServers(text: string, servers: readonly ServerFindings[]): string;
