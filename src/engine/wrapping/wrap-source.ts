import type { ExistingServer } from '../existing-servers/existing-server.js';

/** Servers, files and skills for a new extension. */
export interface WrapSource {
  /** The source for people: `npm:@acme/mcp@1.2.0`. */
  readonly label: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly license?: string | undefined;
  readonly servers: readonly ExistingServer[];
  /** Absolute folders with files of the servers, by their folders in the extension. */
  readonly folders: Readonly<Record<string, string>>;
  /** True for a path that is not copied, relative to its folder: it may contain secrets, or has no use. */
  readonly isExcluded: (file: string) => boolean;
  /** Absolute folders of skills, by name. */
  readonly skills: Readonly<Record<string, string>>;
  /** Parts that the extension cannot have, in sentences. */
  readonly notes: readonly string[];
}
