import type { ConfigFormat, EntryContainer } from './client.js';
import type { ConfigEntry } from './edit/editor.js';
import type { Splice } from './edit/splice.js';

/**
 * An item that an entry needs elsewhere in its file, such as an input by which the client asks for a secret.
 */
export interface EntryAddition {
  readonly list: readonly string[];
  readonly item: ConfigEntry;
}

/** Record of one entry that AgentTools wrote into a config file. */
export interface Receipt {
  readonly client: string;
  readonly scope: 'user' | 'project' | 'config';
  /** The config file, as the client names it. */
  readonly file: string;
  readonly key: string;
  /** Qualified name, or the reference of an existing server with its version. */
  readonly server: string;
  /** True for a server that is not of an extension. The entry starts or reaches it directly. */
  readonly existing?: boolean;
  /** `extension`, or the source of an existing server: `npm`, `url`, `registry`. Absent in older records. */
  readonly kind?: string;
  /** Version of the server; absent: unknown, or its source has none. */
  readonly serverVersion?: string;
  /** Packages that may run their install scripts. */
  readonly allowedScripts?: readonly string[];
  /** Folder of the server, which an entry through AgentTools does not name. */
  readonly folder?: string;
  /**
   * Entries of one family may replace each other; absent: only an entry of the same server may replace it.
   */
  readonly family?: string;
  /** Reference that `install` was given. */
  readonly reference: string;
  /** Argument of `start` in the entry. */
  readonly argument: string;
  /** Options of `install`, as a server set declares them; without secrets. Absent in older records. */
  readonly declared?: Readonly<Record<string, unknown>>;
  /** Server set, or client, that the entry is synchronised with. */
  readonly set?: string;
  /** Names of the variables that the server receives. */
  readonly variables: readonly string[];
  /** As written. */
  readonly entry: ConfigEntry;
  /** Items elsewhere in the file for this entry. */
  readonly additions?: readonly EntryAddition[];
  /** Initial content if the file must be created. */
  readonly template?: string;
  /** Version of AgentTools that wrote the entry. */
  readonly version: string;
  /** ISO 8601. */
  readonly time: string;
  /** Replaced entry that is foreign or starts another server. Uninstall puts it back. */
  readonly replaced?: ConfigEntry;
  /** Receipts of the entry in `replaced` if AgentTools wrote it; one for each client that shared it. */
  readonly displaced?: readonly Receipt[];
  /** Project folder, in scope `project`. */
  readonly project?: string;
  readonly format: ConfigFormat;
  readonly container: EntryContainer;
}

/** One change to a text, which can be undone to the byte. */
export interface RecordedEdit {
  /** Slot of the entry, with a prefix for each entry that has replaced it since. */
  readonly slot: string;
  readonly splice: Splice;
  /** Null: no file. */
  readonly beforeHash: string | null;
  readonly afterHash: string;
}

/** Changes that AgentTools made to one config file. */
export interface RecordBody {
  readonly version: 1;
  readonly realFile: string;
  readonly receipts: readonly Receipt[];
  /** In the order of the changes. */
  readonly steps: readonly RecordedEdit[];
  /** Containers that AgentTools created. */
  readonly made: readonly string[];
  /** Topmost folder that was created for the file. */
  readonly madeFolder?: string;
}

/** Changes to one config file, and the change in progress when the record was written. */
export interface FileRecord extends RecordBody {
  readonly intent?: {
    /** Hash of the text before the change; null: no file. */
    readonly beforeHash: string | null;
    /** Hash of the text after the change; null: the file is deleted. */
    readonly hash: string | null;
    readonly record: RecordBody;
    /** Name of the change in the history. */
    readonly change?: string;
  };
}
