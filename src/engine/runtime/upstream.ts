import type { DocumentPath } from '../base/files/document-path.js';
import type { Definition } from '../extension/extension.js';
import type { UpstreamEndpoint } from '../extension/upstream-endpoint.js';
import type { Context } from './context.js';
import type { ToolResult } from './result-builders.js';

export type { UpstreamAddress, UpstreamEndpoint, UpstreamProgram } from '../extension/upstream-endpoint.js';

/** An existing MCP server that tools are taken from. */
export interface UpstreamSpec {
  /** Those of one key are one server: one process, one connection. */
  readonly key: string;
  /** What it is called in messages. Holds no value of a variable, and no secret. */
  readonly name: string;
  /** Where it is right now. @throws ToolError with what is missing, and the way out */
  readonly place: (env: Readonly<Record<string, string | undefined>>) => Promise<UpstreamEndpoint>;
  /** A function that finds the place; absent: the definition says it. */
  readonly given?: GivenPlace;
  /** The variables without which it cannot be had, as far as its author wrote them down. */
  readonly variables?: readonly string[];
  /** Longest wait for its handshake. */
  readonly startTimeoutMs: number;
}

/** A place that a function of the package finds. */
export interface GivenPlace {
  /** The same in every process that composes the server. */
  readonly id: string;
  /** True for a live function, false for a module reference. */
  readonly isFunction: boolean;
  /** In words: `"./kernel.js#place"`. */
  readonly what: string;
  /** Longest run in milliseconds. */
  readonly timeoutMs: number;
  /** Runs the function in this process. @throws ToolError */
  readonly find: (env: Readonly<Record<string, string | undefined>>) => Promise<unknown>;
  /** Reads the return value of the function. @throws ToolError */
  readonly read: (given: unknown) => Promise<UpstreamEndpoint>;
}

/** Which tools of an upstream server are taken, and what they are called. */
export interface ToolChoice {
  /** Before each name, save those that `rename` gives. */
  readonly prefix: string;
  /** Names as the upstream server knows them; undefined: all. */
  readonly only: readonly string[] | undefined;
  readonly except: readonly string[];
  /** From the names that the upstream server knows. */
  readonly rename: Readonly<Record<string, string>>;
}

/** An entry of a server's list that stands for tools of an upstream server. */
export interface UpstreamEntry {
  readonly upstream: UpstreamSpec;
  readonly choice: ToolChoice;
  /** How many of the server's own tools stand before them. */
  readonly position: number;
  /** What is said of all of them. */
  readonly changes: {
    readonly hidden?: boolean;
    readonly category?: string | null;
    readonly timeoutMs?: number;
    readonly meta?: Readonly<Record<string, unknown>>;
  };
  /** The server that lists them. */
  readonly definition: Definition;
  readonly path: DocumentPath;
}

/** The tool of an upstream server that answers in place of a handler. */
export interface ToolUpstream {
  readonly upstream: UpstreamSpec;
  /** Its name there. */
  readonly tool: string;
  /** It is listed as the upstream server lists it, which holds arguments and results against its schemas itself. */
  readonly isOwn?: true;
}

/** Tools that may arrive while a server runs. */
export interface Arrivals {
  /** Looks for a tool again whenever tools arrive; undefined if it is waited for no longer. */
  find<T>(kind: 'tools', look: () => T | undefined, signal: AbortSignal): Promise<T | undefined>;
  /** Sentences that say why tools are missing. */
  reasons(kind: 'tools'): readonly string[];
}

/** Calls tools of upstream servers. */
export interface UpstreamCaller {
  /** What the upstream server answers, as it is; a failure in words if it cannot be had. */
  call(what: ToolUpstream, args: unknown, ctx: Context): Promise<ToolResult>;
}
