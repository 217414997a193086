import type { ConfigEntry } from './edit/editor.js';

export type ConfigFormat = 'json' | 'jsonc' | 'toml' | 'yaml';

/** Program, arguments and variables that start a server: the same part in the entry of every client. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; absent: the client's. */
  readonly cwd?: string;
}

/** A server that a client reaches over HTTP. */
export interface RemoteLaunch {
  readonly url: string;
  /** `http` is Streamable HTTP; `sse` is the transport of 2024-11-05. */
  readonly transport: 'http' | 'sse';
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Environment that determines the locations of a client's files. Passed in, so that it can describe any
 * system.
 */
export interface ClientEnvironment {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** True if a file or folder exists. */
  readonly exists: (path: string) => boolean;
  /** Names in a folder; empty if the folder is missing. */
  readonly namesIn: (folder: string) => readonly string[];
}

/** Container of the entries in a file. */
export interface EntryContainer {
  /** Keys from the root; empty: the root itself. */
  readonly path: readonly string[];
  /** `map`: entries under their keys; `list`: a list of entries that hold their key as `name`. */
  readonly shape: 'map' | 'list';
}

/** Lenient syntax that the client's parser accepts. */
export interface SyntaxTolerance {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly bom: boolean;
}

/** Form in which a client writes a launch. */
export interface EntryShape {
  readonly entry: (launch: Launch, key: string) => ConfigEntry;
  /** Returns the launch of an entry: the inverse of `entry`. Undefined if the entry starts no program. */
  readonly launchOf: (entry: ConfigEntry) => Launch | undefined;
  /** Field that holds the server's variables. */
  readonly env: string;
  /** Field for the working directory; absent: the client has no such setting. */
  readonly cwd?: string;
}

/** Container and shape of the entries in a file. */
export interface EntryLayout extends EntryShape {
  readonly container: EntryContainer;
}

/** Returns the absolute paths of one kind on a given system, in order of priority. */
export type FileCandidates = (surroundings: ClientEnvironment) => readonly string[];

/** Owner of a config file: the user, or a project that contains it. */
export type FileScope = 'user' | 'project';

/** Known capabilities of a client; absent: unknown. */
type Capabilities = Readonly<Partial<Record<'mcpApps' | 'prompts' | 'elicitation' | 'roots', boolean>>>;

/** Keys that a client accepts for its entries. */
interface KeyRule {
  readonly pattern?: RegExp;
  /** Description of the pattern, for messages. */
  readonly takes?: string;
  /** Keys with another meaning for the client. */
  readonly reserved?: readonly string[];
}

/** Makes the client take a variable's value from a source outside the entry. */
interface SecretReference {
  /** Value of the variable in the entry; absent: the entry must not set the variable. */
  readonly value?: string;
  /** Further fields of the entry. Lists from several variables are joined. */
  readonly fields?: ConfigEntry;
  /** Items that the file needs in lists elsewhere. */
  readonly additions?: readonly { readonly list: readonly string[]; readonly item: ConfigEntry }[];
  /** Source of the value, as a sentence for the user. */
  readonly hint: string;
}

/** Warning that the user sees when an entry is written. */
export interface InstallWarning {
  readonly text: string;
  /** Absent: both scopes. */
  readonly scope?: FileScope;
  /** Absent: always. */
  readonly applies?: (surroundings: ClientEnvironment) => boolean;
}

/** Source of a fact about a client. */
export interface FactSource {
  readonly what: string;
  readonly ref: string;
}

interface ClientDescription {
  /** Name on the command line. */
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: 'chat' | 'coding' | 'ide';
  readonly capabilities: Capabilities;
  /** Action that makes the client load a new entry. */
  readonly reload: string;
  readonly sources: readonly FactSource[];
}

/** A client that reads its servers from a file. */
export interface WritableClient extends ClientDescription, EntryLayout {
  readonly manual?: undefined;
  readonly format: ConfigFormat;
  readonly tolerance: SyntaxTolerance;
  /**
   * The user's config files; empty if the client has none on a system. `<key>` is replaced by the entry key.
   */
  readonly userFiles: FileCandidates;
  /** Paths below a project folder, in lookup order; `<key>` as above. */
  readonly projectFiles?: readonly string[];
  /** Path to create if none of them exists. Default: the first. */
  readonly newProjectFile?: string;
  /** Returns another layout if the data of the file use it. */
  readonly layoutIn?: (data: unknown) => EntryLayout | undefined;
  /** Returns the initial content of a new file. */
  readonly template?: (file: string, key: string) => string;
  readonly keys?: KeyRule;
  /**
   * Folders, files and applications that show that the client is installed, in addition to its config file.
   */
  readonly traces: FileCandidates;
  /** Programs on the PATH that show the same. */
  readonly programs?: readonly string[];
  /** `client` is the name that users see. */
  readonly secretReference?: (name: string, key: string, client: string) => SecretReference;
  readonly cautions?: readonly InstallWarning[];
}

/** A client that stores its servers where no program may write. The user enters them by hand. */
export interface ManualClient extends ClientDescription {
  readonly manual: {
    readonly instructions: string;
    /** Returns the text to paste; absent: the client starts no programs. */
    readonly snippet?: (launch: Launch, key: string) => string;
  };
}

export type Client = WritableClient | ManualClient;
