import type { Context, ItemPage, ItemRegistry, ListedItem } from '../context.js';
import type { Awaitable, CacheDefinition, Icon } from './common-types.js';
import type { UpstreamTools } from './upstream-types.js';

type ListEntries =
  | '*'
  | readonly (string | { readonly use: string; readonly [key: string]: unknown } | object)[];

type ToolEntries = ListEntries | readonly (UpstreamTools | Exclude<ListEntries, '*'>[number])[];

/** An item of a server, or its wire name; for a resource, its URI. */
type SelectedItem = ListedItem | string;

/** Chooses the items that the current client sees in a list. The other items stay usable by name. */
type ListHookFunction = (
  ctx: Context,
  registry: ItemRegistry,
) => Awaitable<
  readonly SelectedItem[] | (Pick<ItemPage, 'nextCursor'> & { readonly items: readonly SelectedItem[] })
>;

/** A server as its author writes it: its items and their names. */
export interface ServerDefinition {
  // #region keys: server without evaluator
  /** The tools of the server: entries, or `"*"` for all tools that the package declares. Default: none. */
  readonly tools?: ToolEntries;
  /**
   * The prompts of the server: entries, or `"*"` for all prompts that the package declares. Default: none.
   */
  readonly prompts?: ListEntries;
  /**
   * The resources of the server: entries, or `"*"` for all resources that the package declares. Default:
   * none.
   */
  readonly resources?: ListEntries;
  /** Additional UI apps: names, or `"*"`. The server always serves the apps of its tools. */
  readonly apps?: '*' | readonly string[];
  /**
   * Skills: names, qualified names of skills of other packages, or `"*"` for all skills of the package.
   * Default: none.
   */
  readonly skills?: '*' | readonly string[];
  /**
   * Hooks that select the items of a list for each client. The other items stay usable by name. Default: all
   * items that are not hidden.
   */
  readonly list?: {
    /** `tools(ctx, registry)` selects the items of `tools/list`. */
    readonly tools?: ListHookFunction;
    /** `prompts(ctx, registry)` selects the items of `prompts/list`. */
    readonly prompts?: ListHookFunction;
    /**
     * `resources(ctx, registry)` selects the items of `resources/list` and `resources/templates/list`. An
     * omitted template lists no resources. Hooks cannot omit apps.
     */
    readonly resources?: ListHookFunction;
  };
  /**
   * The tools that clients see: `"all"`, or `"catalog"` for three tools that find, inspect and call the
   * others. Default: `"all"`.
   */
  readonly toolList?: 'all' | 'catalog';
  /**
   * Changes tools so that clients can use them: `"auto"` only tools that the client would lose, `"on"` all
   * that it cannot use whole, `"off"` none. Default: `"auto"`.
   */
  readonly adapt?: 'auto' | 'on' | 'off';
  /** A name for users. */
  readonly title?: string;
  /** The purpose of the server. */
  readonly description?: string;
  /** Usage instructions for the model: a string, or a list of strings, joined with blank lines. */
  readonly instructions?: string | readonly string[];
  /** The server name that clients receive. Default: the qualified name, such as `@acme/kit/travel`. */
  readonly name?: string;
  /** The server version that clients receive. Default: the version of the package. */
  readonly version?: string;
  /** The preferred key in the config files of client apps. Default: derived from the item name. */
  readonly configKey?: string;
  /** `initialize(ctx)` runs once, before the first use. */
  initialize?(ctx: Context): unknown;
  /** Icons that clients can show. */
  readonly icons?: readonly Icon[];
  /** The address of a page about the server. Sent unchanged. */
  readonly websiteUrl?: string;
  /**
   * The usual transport: `"stdio"` or `"http"`. AgentTools only checks the value: `start` serves over stdio
   * regardless of it.
   */
  readonly transport?: 'stdio' | 'http';
  /** `true`: the model also reads the messages of unexpected errors. For development. */
  readonly exposeErrors?: boolean;
  /** Entries per page of a list. Default: 500. Many clients read only the first page. */
  readonly pageSize?: number;
  /** How long clients can reuse the lists. AgentTools sends it to clients of revision 2026-07-28. */
  readonly cache?: CacheDefinition;
  /**
   * The files, hosts, programs and variables that code of the server can use. `start` runs the server in a
   * sandbox that permits nothing else. Only in data.
   */
  readonly sandbox?: {
    /** Files in addition to the code of the server. Default: none. */
    readonly files?: {
      /**
       * Files and folders that code can read: absolute, below the home folder (`~/notes`), or relative to the
       * package.
       */
      readonly read?: readonly string[];
      /** Existing files and folders that code can read and write. */
      readonly write?: readonly string[];
    };
    /**
     * Hosts such as `"api.acme.example"` and `"*.acme.example"`, with ports 80 and 443, or with another port:
     * `"localhost:8080"`. Default: none.
     */
    readonly network?: readonly string[];
    /** Programs: names on the `PATH`, or absolute paths. Default: none but Node. */
    readonly run?: readonly string[];
    /** Names of environment variables. Default: `PATH`, `LANG`, and a private `HOME` and `TMPDIR`. */
    readonly env?: readonly string[];
  };
  // #endregion
}
