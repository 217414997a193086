import type { DocumentPath } from '../base/files/document-path.js';
import type { Definition } from '../extension/extension.js';
import type { UpstreamEndpoint } from '../extension/upstream-endpoint.js';
import type { Context } from './context.js';
import type { ToolResult } from './result-builders.js';

export type { UpstreamAddress, UpstreamEndpoint, UpstreamProgram } from '../extension/upstream-endpoint.js';

/** An existing MCP server that AgentTools forwards requests to. */
export interface UpstreamSpec {
  /** Specs with the same key share one server: one process, one connection. */
  readonly key: string;
  /** Name in messages. Contains no value of a variable, and no secret. */
  readonly name: string;
  /** The present endpoint. @throws ToolError with the reason and a fix */
  readonly place: (env: Readonly<Record<string, string | undefined>>) => Promise<UpstreamEndpoint>;
  /** Function that finds the endpoint; undefined: the definition has it. */
  readonly given?: GivenPlace;
  /** The required variables, if the author declared them. */
  readonly variables?: readonly string[];
  /** Values of the environment that it gets; undefined for a server that the user has named. */
  readonly exposure?: UpstreamExposure;
  /** Longest wait for its handshake, in milliseconds. */
  readonly startTimeoutMs: number;
}

/** Values of the environment that an upstream server gets. */
export interface UpstreamExposure {
  /** Names of variables, also of those with a default. */
  readonly variables: readonly string[];
  /** Host with port, as written if it contains variables; undefined for a program. */
  readonly host: string | undefined;
  /** True if others on the way can read the values: plain http to another machine. */
  readonly isReadable: boolean;
}

/** An endpoint from a function of the package. */
export interface GivenPlace {
  /** The same in every process that composes the server. */
  readonly id: string;
  /** True for a live function, false for a module reference. */
  readonly isFunction: boolean;
  /** Label of the function: `"./kernel.js#place"`. */
  readonly what: string;
  /** Longest run in milliseconds. */
  readonly timeoutMs: number;
  /** Runs the function in this process. @throws ToolError */
  readonly find: (env: Readonly<Record<string, string | undefined>>) => Promise<unknown>;
  /** Reads the return value of the function. @throws ToolError */
  readonly read: (given: unknown) => Promise<UpstreamEndpoint>;
}

/** A choice of items of one kind from an upstream server, and their names. Resources are chosen by URI or name. */
export interface ItemChoice {
  /** Prefix of each name, except the names from `rename`. */
  readonly prefix: string;
  /** Names on the upstream server; undefined: all. */
  readonly only: readonly string[] | undefined;
  readonly except: readonly string[];
  /** New names, by the names on the upstream server. */
  readonly rename: Readonly<Record<string, string>>;
}

/** A kind of items that an entry chooses apart from tools. Apps are resources with `ui://` URIs. */
type ChosenKind = 'prompts' | 'resources' | 'apps';

/** An entry of a server's list for the items of an upstream server. */
export interface UpstreamEntry extends Readonly<Record<ChosenKind, ItemChoice | undefined>> {
  readonly upstream: UpstreamSpec;
  /** The choice of tools. The choices of other kinds are undefined if the entry excludes the kind. */
  readonly choice: ItemChoice;
  /** Number of the server's own tools before these tools. */
  readonly position: number;
  /** Overrides for all of these tools. */
  readonly changes: {
    readonly hidden?: boolean;
    readonly category?: string | null;
    readonly timeoutMs?: number;
    /** True if the user must allow each call. */
    readonly isConfirmed?: boolean;
    readonly meta?: Readonly<Record<string, unknown>>;
  };
  /** True if the server has the serverInfo of the upstream server. */
  readonly lendsInfo?: boolean;
  /** The server definition that lists them. */
  readonly definition: Definition;
  readonly path: DocumentPath;
}

/** URIs of an upstream server that another upstream server has too, with their replacements. */
export type ReplacedUris = ReadonlyMap<string, string>;

/** serverInfo of an upstream server. */
export type UpstreamInfo = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly version: string;
};

/** The known items of an upstream server, as listed. Plain JSON, so that it can travel between processes. */
export interface UpstreamListing {
  readonly title: string;
  /** Its serverInfo. */
  readonly info?: UpstreamInfo;
  readonly instructions?: string;
  /** Null: not listed yet. */
  readonly tools: readonly unknown[] | null;
  readonly prompts: readonly unknown[] | null;
  readonly resources: readonly unknown[] | null;
  readonly templates: readonly unknown[] | null;
  /** Entries of its skills; absent without any. */
  readonly skills?: readonly unknown[];
  /** True if the server has the method or capability. */
  readonly offers: {
    readonly prompts: boolean;
    readonly resources: boolean;
    readonly completions: boolean;
    readonly subscriptions: boolean;
    readonly toolTasks: boolean;
    /** Absent: false. */
    readonly skills?: true;
  };
}

/** Entries of skills of upstream servers by URI, as `skills/list` returns them. */
export type UpstreamSkills = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The prompt or resource of an upstream server that answers for an item. */
export interface ItemUpstream {
  readonly upstream: UpstreamSpec;
  /** Name, URI or URI template on the upstream server. */
  readonly theirs: string;
  readonly hasCompletions: boolean;
  readonly uris?: ReplacedUris;
}

/** A request to an upstream server for a client, without the parts of the protocol. */
export interface UpstreamRequest {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read' | 'completion/complete';
  readonly params: Readonly<Record<string, unknown>>;
}

/** The tool of an upstream server that answers in place of a handler. */
export interface ToolUpstream {
  readonly upstream: UpstreamSpec;
  /** Its name on the upstream server. */
  readonly tool: string;
  /** The list entry comes from the upstream server, which checks arguments and results against its schemas itself. */
  readonly isOwn?: true;
  /** The results keep their metadata about UI. */
  readonly hasApps?: true;
  /** The tool runs as a task of the upstream server. */
  readonly isTask?: true;
  readonly uris?: ReplacedUris;
}

/** Tools that may arrive while a server runs. */
export interface Arrivals {
  /** Repeats a lookup whenever tools arrive; undefined if waiting is over. */
  find<T>(kind: 'tools', look: () => T | undefined, signal: AbortSignal): Promise<T | undefined>;
  /** Reasons for missing tools, as sentences. */
  reasons(kind: 'tools'): readonly string[];
}

/** Forwards requests to upstream servers. */
export interface UpstreamCaller {
  /**
   * Returns the response of the upstream server unchanged, or a failure with the reason if the server is unavailable.
   */
  call(what: ToolUpstream, args: unknown, ctx: Context): Promise<ToolResult>;
  /**
   * Returns the result of a request, unchanged. Input requests of the upstream server go to the client of the context.
   * @throws ProtocolError with the error of the upstream server; ToolError if it is unavailable
   */
  request(
    upstream: UpstreamSpec,
    request: UpstreamRequest,
    ctx: Context,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Upstream servers that may have a resource that no list shows. */
  readersOf(uri: string): readonly UpstreamSpec[];
}
