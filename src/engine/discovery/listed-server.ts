/** Where servers are looked for, the source that wins first. */
export const sourceNames = ['user-made', 'project', 'added', 'global', 'built-in', 'remote'] as const;

export type SourceName = (typeof sourceNames)[number];

/** What is known of a server without running anything of it. */
export interface ServerOutline {
  /** As a command line takes it. */
  readonly name: string;
  readonly description: string | null;
  readonly version: string;
  /** Qualified names; bare for built-in items. */
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
}

/** What a registry knows of a package besides what the package says of itself. */
export interface Publication {
  readonly publisher: string | null;
  /** When this version was published, in ISO 8601. */
  readonly published: string | null;
  /** Whether the registry has an attestation of where and how the package was built. */
  readonly provenance: boolean;
}

/** A server that was found. */
export interface ListedServer extends ServerOutline, Partial<Publication> {
  readonly source: SourceName;
  /** The folder of its package; null: it is not here. */
  readonly location: string | null;
}
