import type { ConfigEntry } from './edit/editor.js';

/** Syntax of a config file. */
export type ConfigFormat = 'json' | 'jsonc' | 'toml' | 'yaml';

/** What starts a server: the part of an entry that is the same for every client. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory; absent: the client's own. */
  readonly cwd?: string;
}

/** What decides where a client keeps its files. Everything is handed in, so that any system can be asked about. */
export interface ClientEnvironment {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Whether a file or folder is there. */
  readonly exists: (path: string) => boolean;
  /** Names in a folder; none if there is no such folder. */
  readonly namesIn: (folder: string) => readonly string[];
}

/** Where an entry goes in a file. */
export interface EntryContainer {
  /** Keys from the root; none: the root itself. */
  readonly path: readonly string[];
  /** `map`: entries under their keys; `list`: a list of entries that hold their key as `name`. */
  readonly shape: 'map' | 'list';
}

/** What of a lenient syntax the client's own parser takes. */
export interface SyntaxTolerance {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly bom: boolean;
}

/** How a client writes down what starts a server. */
export interface EntryShape {
  readonly entry: (launch: Launch, key: string) => ConfigEntry;
  /** What an entry starts: the inverse of `entry`. Undefined if it starts no program. */
  readonly launchOf: (entry: ConfigEntry) => Launch | undefined;
  /** The field that holds the server's variables. */
  readonly env: string;
  /** The field for the working directory; absent: the client has no such setting. */
  readonly cwd?: string;
}

/** Where entries stand in a file, and what they look like. */
export interface EntryLayout extends EntryShape {
  readonly container: EntryContainer;
}

/** Places of one kind on the system at hand, absolute, the one that counts first. */
export type FileCandidates = (surroundings: ClientEnvironment) => readonly string[];

/** Whose file it is: the user's own, or the one a project carries. */
export type FileScope = 'user' | 'project';

/** What a client is known to be able to do; what is not named is unknown. */
type Capabilities = Readonly<Partial<Record<'mcpApps' | 'prompts' | 'elicitation' | 'roots', boolean>>>;

/** The keys a client takes for its entries. */
interface KeyRule {
  readonly pattern?: RegExp;
  /** What the pattern takes, in words. */
  readonly takes?: string;
  /** Keys that mean something else to the client. */
  readonly reserved?: readonly string[];
}

/** How an entry makes the client take a variable's value from elsewhere. */
interface SecretReference {
  /** What stands as the variable's value; absent: the variable must not be among the entry's own. */
  readonly value?: string;
  /** Further fields of the entry; a list is joined with the one that is there. */
  readonly fields?: ConfigEntry;
  /** Items that the file needs in lists elsewhere. */
  readonly additions?: readonly { readonly list: readonly string[]; readonly item: ConfigEntry }[];
  /** Where the value then comes from, in a sentence for the user. */
  readonly hint: string;
}

/** Something a user must hear when an entry is written. */
export interface InstallWarning {
  readonly text: string;
  /** Absent: of both. */
  readonly scope?: FileScope;
  /** Absent: always. */
  readonly applies?: (surroundings: ClientEnvironment) => boolean;
}

/** Where a fact about a client is from. */
export interface FactSource {
  readonly what: string;
  readonly ref: string;
}

interface ClientDescription {
  /** What it is called on the command line. */
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly kind: 'chat' | 'coding' | 'ide';
  readonly capabilities: Capabilities;
  /** What makes the client see a new entry. */
  readonly reload: string;
  readonly sources: readonly FactSource[];
}

/** A client that reads its servers from a file. */
export interface WritableClient extends ClientDescription, EntryLayout {
  readonly manual?: undefined;
  readonly format: ConfigFormat;
  readonly tolerance: SyntaxTolerance;
  /** The user's own files: none where the client has none on a system. `<key>` stands for the key of the entry. */
  readonly userFiles: FileCandidates;
  /** Files below the folder of a project, in the order they are looked for; `<key>` as above. */
  readonly projectFiles?: readonly string[];
  /** Which of them is made where none is there; absent: the first. */
  readonly newProjectFile?: string;
  /** Another layout of the same file, told from the data it holds. */
  readonly layoutIn?: (data: unknown) => EntryLayout | undefined;
  /** What a new file begins with. */
  readonly template?: (file: string, key: string) => string;
  readonly keys?: KeyRule;
  /** Folders, files and applications that show that the client is here, beside its config file. */
  readonly traces: FileCandidates;
  /** Programs that show the same, by being on the PATH. */
  readonly programs?: readonly string[];
  /** The client is given by what users call it. */
  readonly secretReference?: (name: string, key: string, client: string) => SecretReference;
  readonly cautions?: readonly InstallWarning[];
}

/** A client that keeps its servers where no program may write: a person has to enter them. */
export interface ManualClient extends ClientDescription {
  readonly manual: {
    readonly instructions: string;
    /** What to paste; absent: it starts no programs. */
    readonly snippet?: (launch: Launch, key: string) => string;
  };
}

export type Client = WritableClient | ManualClient;
