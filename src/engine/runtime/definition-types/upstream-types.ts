import type { Awaitable } from './common-types.js';
import type { ToolDefinition } from './tool-types.js';

/** Launch settings of an upstream MCP server. Texts may contain `${NAME}` and `${NAME:-default}`. */
interface ProgramConfig {
  // #region keys: endpoint only args, env, cwd
  /** Arguments of the program. There is no shell. */
  readonly args?: readonly string[];
  /**
   * Additional environment variables. By default, the program receives only the variables that every program
   * needs (`PATH`, `HOME` and similar).
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The working directory: a folder of the package. Default: the package folder. A path that begins with a
   * variable can be anywhere.
   */
  readonly cwd?: string;
  // #endregion
  // #region keys: endpoint only type, as 'stdio'
  /**
   * The transport: `"stdio"` for programs; `"http"`, `"streamable-http"` or `"sse"` for URLs. Default for
   * URLs: Streamable HTTP. `"sse"` is the transport of 2024.
   */
  readonly type?: 'stdio';
  // #endregion
}

interface CommandEndpoint extends ProgramConfig {
  // #region keys: endpoint only command, requires command
  /**
   * The program: a name on the `PATH`, an absolute path, or a file of the package that begins with `./`.
   * `node` is the Node that runs AgentTools.
   */
  readonly command: string;
  // #endregion
}

interface PackageEndpoint extends ProgramConfig {
  // #region keys: endpoint only package, bin, requires package
  /** Replaces `command`: a package in your `dependencies` with a program to run. */
  readonly package: string;
  /** The program of the `package`, if it has several. */
  readonly bin?: string;
  // #endregion
}

interface UrlEndpoint {
  // #region keys: endpoint only url, headers, requires url
  /**
   * Replaces `command`: the `http:` or `https:` URL of a server. AgentTools sends a name and password in it
   * as a header.
   */
  readonly url: string;
  /** Headers of each request to the `url`. */
  readonly headers?: Readonly<Record<string, string>>;
  // #endregion
  // #region keys: endpoint only type, as 'http' | 'streamable-http' | 'sse'
  /**
   * The transport: `"stdio"` for programs; `"http"`, `"streamable-http"` or `"sse"` for URLs. Default for
   * URLs: Streamable HTTP. `"sse"` is the transport of 2024.
   */
  readonly type?: 'http' | 'streamable-http' | 'sse';
  // #endregion
}

/** An upstream MCP server: a program, the program of a dependency, or a URL. */
type StaticEndpoint = CommandEndpoint | PackageEndpoint | UrlEndpoint;

interface ResolvedEndpoint {
  // #region keys: endpoint only place, requires place
  /** Replaces `command`: `place({ env })` returns the endpoint when the server is needed. */
  readonly place: ResolveEndpoint | string;
  // #endregion
}

interface UpstreamSourceBase {
  // #region keys: endpoint only name, startTimeoutMs
  /** The name of the server in messages. Default: its endpoint. */
  readonly name?: string;
  /** The timeout of the first response in milliseconds. Default: 30000. */
  readonly startTimeoutMs?: number;
  // #endregion
}

/**
 * Returns the endpoint of a server on demand, or throws an error with the reason. Variables in the endpoint are not
 * filled in.
 */
export type ResolveEndpoint = (given: {
  readonly env: Readonly<Record<string, string | undefined>>;
}) => Awaitable<WidenedEndpoint<StaticEndpoint>>;

/** An endpoint with a wider `type`: the type of a returned object is not as narrow as the type of a literal. */
type WidenedEndpoint<P> = P extends unknown ? Omit<P, 'type'> & { readonly type?: string } : never;

/** Endpoint of an upstream MCP server. */
export type UpstreamSource = (StaticEndpoint | ResolvedEndpoint) & UpstreamSourceBase;

/** A tool of an upstream MCP server. */
type UpstreamToolSource = UpstreamSource & {
  // #region keys: tool.upstream only tool
  /** The upstream name of the tool. Default: the item name. */
  readonly tool?: string;
  // #endregion
};

/** A tool of an upstream MCP server, as its author writes it. */
export interface UpstreamToolDefinition<I = undefined, O = undefined>
  extends Omit<ToolDefinition<I, O>, 'handler' | 'onOutputMismatch'> {
  // #region keys: tool only upstream, requires upstream
  /** Replaces `handler`: the tool of an existing server that answers the call. */
  readonly upstream: UpstreamToolSource | ResolveEndpoint | string;
  // #endregion
  readonly handler?: undefined;
}

/** A choice of prompts, resources or apps of an upstream MCP server. */
export interface UpstreamChoice {
  // #region keys: upstreamEntry.prompts
  /** The upstream names or URIs to include. Default: all. */
  readonly only?: readonly string[];
  /** The upstream names or URIs to exclude. */
  readonly except?: readonly string[];
  /** A prefix for each name, except names from `rename`. */
  readonly prefix?: string;
  /** New names, by upstream name. */
  readonly rename?: Readonly<Record<string, string>>;
  // #endregion
}

/** An entry of a server's `tools` for the items of an upstream MCP server. */
export interface UpstreamTools {
  // #region keys: upstreamEntry
  /** The location of the server. */
  readonly upstream: UpstreamSource | ResolveEndpoint | string;
  /** The upstream names of the tools to include. Default: all. */
  readonly only?: readonly string[];
  /** The upstream names of tools to exclude. */
  readonly except?: readonly string[];
  /** A prefix for each name, except names from `rename`. */
  readonly prefix?: string;
  /** New names, by upstream name: `{ "search": "find_letters" }`. */
  readonly rename?: Readonly<Record<string, string>>;
  /**
   * A choice of prompts: an object with `only`, `except`, `prefix` and `rename`, or `false` for none.
   * Default: all.
   */
  readonly prompts?: false | UpstreamChoice;
  /**
   * The same for resources and templates. `only` and `except` take names or URIs. `prefix` and `rename`
   * change names; URIs stay.
   */
  readonly resources?: false | UpstreamChoice;
  /** The same for UI apps. `false` also removes the UI metadata of tools. */
  readonly apps?: false | UpstreamChoice;
  /** `true`: lists omit the tools. Clients can still call them by name. */
  readonly hidden?: boolean;
  /** The opposite of `hidden`. If both are present, `hidden` wins. */
  readonly visible?: boolean;
  /** `_meta.category` of all the tools. `null`: none. */
  readonly category?: string | null;
  /** The timeout of one request in milliseconds. Default: 60000. */
  readonly timeoutMs?: number;
  /** `"user"`: before each call, the client asks its user. Clients that cannot ask cannot call the tool. */
  readonly confirm?: 'user';
  /** Overrides fields of each tool's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  // #endregion
}
