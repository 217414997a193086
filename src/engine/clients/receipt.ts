import type { ConfigFormat, EntryContainer } from './client.js';
import type { ConfigEntry } from './edit/editor.js';
import type { Splice } from './edit/splice.js';

/** An item that an entry needs elsewhere in its file, such as the question a client asks for a secret. */
export interface EntryAddition {
  readonly list: readonly string[];
  readonly item: ConfigEntry;
}

/** What we remember of one entry that we wrote into a config file. */
export interface Receipt {
  readonly client: string;
  readonly scope: 'user' | 'project' | 'config';
  /** The config file as the client names it. */
  readonly file: string;
  readonly key: string;
  /** Qualified name. */
  readonly server: string;
  /** What entries have in common that may take each other's place; absent: it gives way to nothing but its own server. */
  readonly family?: string;
  /** What install was given. */
  readonly reference: string;
  /** What the entry gives to `start`. */
  readonly argument: string;
  /** Names of the variables that the server gets. */
  readonly variables: readonly string[];
  /** As written. */
  readonly entry: ConfigEntry;
  /** What stands elsewhere in the file for this entry. */
  readonly additions?: readonly EntryAddition[];
  /** What the file begins with where it has to be made. */
  readonly template?: string;
  /** The version of agenttools that wrote it. */
  readonly version: string;
  /** ISO 8601. */
  readonly time: string;
  /** An entry of somebody else, or for another server, that gave way; it is put back when this one goes. */
  readonly replaced?: ConfigEntry;
  /** What we remembered of the entry in `replaced`, where that was ours too; one for each client that shared it. */
  readonly displaced?: readonly Receipt[];
  /** The folder of the project, in scope `project`. */
  readonly project?: string;
  readonly format: ConfigFormat;
  readonly container: EntryContainer;
}

/** One change of ours to a text, so that it can be taken back to the byte. */
export interface RecordedEdit {
  /** The place of the entry that it was made for, and how many others have taken that place since. */
  readonly slot: string;
  readonly splice: Splice;
  /** Null: there was no file. */
  readonly beforeHash: string | null;
  readonly afterHash: string;
}

/** What we did to one config file. */
export interface RecordBody {
  readonly version: 1;
  readonly realFile: string;
  readonly receipts: readonly Receipt[];
  /** In the order they were made. */
  readonly steps: readonly RecordedEdit[];
  /** The containers that were not there before us. */
  readonly made: readonly string[];
  /** The topmost folder that was made for the file. */
  readonly madeFolder?: string;
}

/** What we did to one config file, and what we were about to do when it was written. */
export interface FileRecord extends RecordBody {
  readonly intent?: {
    /** Of the text that the file had; null: there was none. */
    readonly beforeHash: string | null;
    /** Of the text that the file was to get; null: it was to be deleted. */
    readonly hash: string | null;
    readonly record: RecordBody;
  };
}
