/**
 * An MCP server that is not an extension: a published package, a remote server, a bundle, a program. Its templates define how
 * to start or reach it once the user has given the inputs.
 */
export interface ExistingServer {
  readonly source: ServerSource;
  /** Reference that leads to the same server again, with the exact version: `npm:@playwright/mcp@1.2.3`. */
  readonly reference: string;
  /** Name for people and for derived entry keys: the package, the last part of a registry name, the host of a URL. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Exact version; absent: the source has none. */
  readonly version?: string;
  /** Person or organization that published it, as the source names them. */
  readonly publisher?: string;
  readonly websiteUrl?: string;
  readonly repository?: string;
  /** Values that the user gives before the first start. */
  readonly inputs: readonly ServerInput[];
  readonly template: ServerTemplate;
  /** Bundle that must be unpacked before the start. */
  readonly content?: BundleContent;
  /** Statements for the user: deprecation, an unpinned image, a package with install scripts. One sentence each. */
  readonly notes: readonly string[];
}

/** A bundle file, and the folder of its content. The templates of its server name paths in that folder. */
export interface BundleContent {
  /** Absolute path of the file. */
  readonly file: string;
  /** SHA-256 of the file in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** Absolute path; missing until the bundle is unpacked. */
  readonly folder: string;
  /** Files that are made executable in addition to those that the archive marks; relative, with `/`. */
  readonly executables: readonly string[];
}

/** Origin of an existing server. */
type ServerSource =
  | 'npm'
  | 'pypi'
  | 'docker'
  | 'nuget'
  | 'registry'
  | 'url'
  | 'bundle'
  | 'server-json'
  | 'client-config'
  | 'command';

/** A server to start, a server to reach, or a bundle with a manifest that decides. Texts are templates. */
export type ServerTemplate = ProgramTemplate | RemoteTemplate | BundleTemplate;

/** A program that speaks MCP over its stdin and stdout. */
export interface ProgramTemplate {
  readonly kind: 'program';
  readonly runner: ProgramRunner;
  /** Arguments of the server itself, after the arguments of the runner. */
  readonly args: readonly ArgumentTemplate[];
  readonly env: Readonly<Record<string, TextTemplate>>;
  /** Absolute path; absent: the folder of the client. */
  readonly cwd?: string;
}

/** Program that runs the server. */
export type ProgramRunner =
  /** The program of an npm package, in a separate folder. `bin` absent: the only one, or the one with the package's name. */
  | { readonly by: 'npm'; readonly name: string; readonly version: string; readonly bin?: string }
  /** `uvx <name>==<version>`; `script`: another program of the package. */
  | {
      readonly by: 'uvx';
      readonly name: string;
      readonly version?: string;
      readonly script?: string;
      readonly options: readonly ArgumentTemplate[];
    }
  /** `docker run -i --rm <options> <image>`. */
  | { readonly by: 'docker'; readonly image: string; readonly options: readonly ArgumentTemplate[] }
  /** `dnx <name>@<version> --yes --`. */
  | {
      readonly by: 'dnx';
      readonly name: string;
      readonly version?: string;
      readonly options: readonly ArgumentTemplate[];
    }
  /** A program of this machine: an absolute path or a name on the PATH. */
  | { readonly by: 'command'; readonly command: string }
  /** A program on the PATH: the first of these names that exists. */
  | { readonly by: 'path'; readonly names: readonly [string, ...string[]] };

/** A server that answers over HTTP. */
export interface RemoteTemplate {
  readonly kind: 'remote';
  /** `sse`: the transport of 2024-11-05. Absent: unknown until the server is asked. */
  readonly transport?: RemoteTransport;
  readonly url: TextTemplate;
  readonly headers: Readonly<Record<string, TextTemplate>>;
}

export type RemoteTransport = 'http' | 'sse';

/** A bundle that has not been downloaded. */
interface BundleTemplate {
  readonly kind: 'bundle';
  readonly url: string;
  /** SHA-256 of the file in lower-case hexadecimal digits; absent: unknown. */
  readonly sha256?: string;
}

/** Parts that are joined into one text. An input without a value leaves out the whole text, unless it is required. */
export type TextTemplate = readonly TemplatePart[];

/** Fixed text, or the value of an input. */
type TemplatePart = string | { readonly input: string };

/** Words of a command line that are used or left out together, such as `--port` and its value. */
export interface ArgumentTemplate {
  readonly words: readonly TextTemplate[];
  /** Input with several values; the words are repeated for each. */
  readonly repeats?: string;
  /** Boolean input that decides whether the words are used. */
  readonly when?: string;
  /** Input without which the words are left out. */
  readonly needs?: string;
}

/** A value that the user gives. */
export interface ServerInput {
  /** Unique in its server. */
  readonly id: string;
  /** Option that gives it on the command line. */
  readonly givenBy: 'env' | 'arg' | 'header';
  /** Name in that option: the variable, the header, or the argument: `--env NAME=value`, `--arg name=value`. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly isRequired: boolean;
  /** Kept out of arguments where possible, and of files that others may read. */
  readonly isSecret: boolean;
  readonly isRepeated: boolean;
  readonly format: 'string' | 'number' | 'boolean' | 'file' | 'folder';
  /** Used if the user gives no value. Several values for a repeated input. */
  readonly default?: string | readonly string[];
  /** Example that is never used as a value. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** Values of inputs by id; several values for repeated inputs. */
export type InputValues = Readonly<Record<string, string | readonly string[]>>;
