import type { ClientEnvironment, EntryLayout, Launch, WritableClient } from '../clients/client.js';
import type { ConfigEntry, ConfigPath } from '../clients/edit/editor.js';
import type { RemoteContent } from '../clients/read-remote-entry.js';
import type { Receipt } from '../clients/receipt.js';
import type { ListedTool } from '../compatibility/surface-checks.js';
import type { InstalledEntry } from '../installation/installed.js';
import type { SurfaceDifference } from '../surface/model-surface.js';

/** A config file of a client. Files of several clients have a picture for each. */
export interface ConfigPicture {
  readonly client: WritableClient;
  readonly scope: Receipt['scope'];
  /** Folder of the project, in scope `project` and for {@link isLocal}. */
  readonly project?: string;
  /** True for the servers of one project in the file of the user: the local scope of Claude Code. */
  readonly isLocal?: true;
  readonly file: string;
  readonly realFile: string;
  /** Permission bits. */
  readonly mode: number | undefined;
  /** Null: it cannot be read. */
  readonly text: string | null;
  readonly layout: EntryLayout;
  /** Undefined if the text cannot be parsed. */
  readonly data: unknown;
  /** Reason why it cannot be opened or parsed. */
  readonly fault?: { readonly message: string; readonly offset?: number | undefined };
  /** Syntax that the client cannot read. */
  readonly unsupported: readonly UnsupportedSyntax[];
  /** Offsets of keys that occur a second time. */
  readonly duplicates: readonly { readonly key: string; readonly offset: number }[];
}

export interface UnsupportedSyntax {
  readonly kind: 'bom' | 'comment' | 'comma';
  readonly message: string;
  readonly offset: number;
}

/** An entry of a config file. */
export interface EntryPicture {
  readonly config: ConfigPicture;
  readonly key: string;
  readonly path: ConfigPath;
  readonly entry: ConfigEntry;
  /** Absent: the entry starts no program. */
  readonly launch?: Launch;
  /** Absent: the entry has no address. */
  readonly remote?: RemoteContent;
  /** Absent: AgentTools did not write the entry. */
  readonly installed?: InstalledEntry;
  /** The setting that switches it off; absent: it is on. */
  readonly disabledBy?: string;
}

/** Result of one start of a server. */
export type Probe =
  | {
      readonly state: 'answers';
      readonly tools: readonly ListedTool[];
      /** Unavailable servers behind it, one sentence each. */
      readonly absences: readonly string[];
      /** Differences from the record of a frozen entry; null without a record. Absent: the entry is not frozen. */
      readonly changes?: readonly SurfaceDifference[] | null;
    }
  | { readonly state: 'failed' | 'not started'; readonly reason: string };

/** Version of an npm package, and where it is used. */
export interface UsedPackage {
  readonly name: string;
  readonly version: string;
  /** Absent: a package of the package store. */
  readonly entry?: EntryPicture;
  /** Folder with its lockfile; absent: npx installs it. */
  readonly folder?: string;
}

export interface Vulnerability {
  readonly name: string;
  readonly version: string;
  readonly severity: string;
  readonly title: string;
  readonly url: string;
}

/** Answers of registries. */
export interface RegistryFacts {
  /** Newest versions by package. */
  readonly newest: ReadonlyMap<string, string>;
  readonly vulnerable: ReadonlyMap<UsedPackage, readonly Vulnerability[]>;
  /** Reasons for missing answers, in sentences. */
  readonly unavailable: readonly string[];
}

/** Everything that checks may look at. Checks change nothing. */
export interface Picture {
  readonly surroundings: ClientEnvironment;
  readonly cwd: string;
  readonly program: { readonly command: string; readonly args: readonly string[] };
  readonly dataFolder: string;
  readonly version: string;
  readonly now: Date;
  readonly configs: readonly ConfigPicture[];
  readonly entries: readonly EntryPicture[];
  /** Entries of AgentTools that are not in their files. */
  readonly gone: readonly InstalledEntry[];
  /** Reasons why records cannot be read. */
  readonly unreadableRecords: readonly string[];
  /** Names of stored secrets. */
  readonly secrets: ReadonlySet<string>;
  /** Paths of programs by their bare names; undefined: not on the PATH. */
  readonly programs: ReadonlyMap<string, string | undefined>;
  /** Versions of clients by id, if files have them. */
  readonly clientVersions: ReadonlyMap<string, string>;
  /** Config files of trust, by client. Undefined: the client trusts all folders, or has no such file. */
  readonly trust: ReadonlyMap<string, unknown>;
  readonly packages: readonly UsedPackage[];
  /** Entries that may be started: results, or reasons against a start. Empty if none may. */
  readonly probes: ReadonlyMap<EntryPicture, Probe>;
  readonly registry: RegistryFacts;
  /** True if `--fix` may also move secrets of entries that AgentTools did not write. */
  readonly moveSecrets: boolean;
}
