import type { ExistingServer } from '../existing-servers/existing-server.js';

/** Everything that a new extension is made of. */
export interface WrapSource {
  /** The source for people: `npm:@acme/mcp@1.2.0`. */
  readonly label: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly version?: string | undefined;
  readonly license?: string | undefined;
  readonly servers: readonly ExistingServer[];
  /** Absolute folders with files of the servers, by their folders in the extension. */
  readonly folders: Readonly<Record<string, string>>;
  /** Absolute paths in these folders that are not copied: they may contain secrets, or have no use. */
  readonly excluded: readonly string[];
  /** Absolute folders of skills, by name. */
  readonly skills: Readonly<Record<string, string>>;
  /** Parts that the extension cannot have, in sentences. */
  readonly notes: readonly string[];
}
