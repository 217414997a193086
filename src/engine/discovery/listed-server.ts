/** Sources of servers in order of precedence. */
export const sourceNames = [
  'user-made',
  'project',
  'added',
  'global',
  'installed',
  'built-in',
  'remote',
  'mcp-registry',
] as const;

export type SourceName = (typeof sourceNames)[number];

/** Facts of a server that are available without running it. */
export interface ServerOutline {
  /** Name as accepted on the command line. */
  readonly name: string;
  readonly description: string | null;
  readonly version: string;
  /** Qualified names; bare names for built-in items. */
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  /** Existing MCP servers that it includes. `tools` and `prompts` contain their items if a start has recorded them. */
  readonly upstreams?: readonly string[];
}

/** Registry data of a package, in addition to its manifest. */
export interface Publication {
  readonly publisher: string | null;
  /** Publication time of this version, in ISO 8601. */
  readonly published: string | null;
  /** True if the registry has an attestation of the build of the package. */
  readonly provenance: boolean;
}

/** A listed server. */
export interface ListedServer extends ServerOutline, Partial<Publication> {
  readonly source: SourceName;
  /** Folder of its package; null if the package is not installed. */
  readonly location: string | null;
  /** Why it cannot start. Absent: no reason is known. */
  readonly problem?: string;
  /** Why the publisher advises against it; `mcp-registry` only. Null: no advice. */
  readonly deprecated?: string | null;
}
