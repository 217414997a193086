import type { WireObject } from '../protocol/envelope.js';
import { type Era, type logLevels, metaKey } from '../protocol/eras.js';
import type { Peer, RequestContext } from '../protocol/request.js';
import type { Context, ListedItem, Session, ShownQuery } from '../runtime/context.js';
import type { HookWatch } from '../runtime/hook-watch.js';
import type { ServerRuntime } from '../runtime/server-runtime.js';
import type { ClientRoots } from './client-roots.js';
import type { LiveServer } from './live-server.js';
import { quotaKey } from './request-keys.js';

/** Identity of the request that input requests belong to. A retry must match it. */
export interface RequestIdentity {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  /** Name, or URI. */
  readonly name: string;
  readonly args: unknown;
}

/** True if a request is a retry that brings answers to input requests. */
export function isRetry({ inputResponses, requestState }: RequestContext): boolean {
  return inputResponses !== undefined || requestState !== undefined;
}

/** Progress of a suspended call. The client keeps it: signed, but readable. */
export interface ReplayState {
  /** Responses by the keys of their input requests. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** JSON texts by the keys of steps. */
  readonly steps: Readonly<Record<string, string>>;
  /** Keys of the last input requests. */
  readonly asked: readonly string[];
}

/** The call that a state belongs to. */
export interface StatefulCall {
  readonly connection: Pick<Connection, 'calls'>;
  readonly request: Pick<RequestContext, 'auth'>;
  readonly subject: RequestIdentity;
}

/** State of one served connection beyond a single request. */
export interface Connection {
  readonly era: Era;
  readonly peer: Peer;
  readonly calls: ServerRuntime;
  /** User settings from `MCP_TOOL_OPTIONS`. */
  readonly toolOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly live: LiveServer;
  /** Implements `ctx.registry.shown`. */
  readonly shown: (request: RequestContext, query?: ShownQuery) => Promise<readonly ListedItem[]>;
  /** Change notifications of handlers to all clients. Handlers may keep the functions beyond a request. */
  readonly announce: Pick<Context, 'notifyChanged' | 'notifyResourceUpdated'>;
  /** Values that handlers keep for the connection. Undefined on 2026-07-28, which has no sessions. */
  readonly session: Session | undefined;
  /** Runs extension code. Undefined: extension code runs in this process. */
  readonly host?: CodeHost | undefined;
  /** Adapts tools to clients. Absent: all clients get the tools as they are. */
  readonly adaptation?: Adaptation | undefined;
  /** Watches list hooks. Absent: no watch. */
  readonly hooks?: HookWatch | undefined;
  /** Reads and writes the state of suspended calls. Absent: this process signs the state. */
  readonly states?: StateKeeper | undefined;
  /** URIs that a 2025-era client has subscribed to, with the functions that unsubscribe. */
  readonly subscribed: Map<string, () => void>;
  /** Collects the roots of the client. Undefined if they are folders of another machine. */
  readonly roots: ClientRoots | undefined;
  /** Root of a 2025-era client, if known. */
  root: string | undefined;
  /** Lowest log level that a 2025-era client receives; `logging/setLevel` changes it. */
  logLevel: (typeof logLevels)[number];
}

/** Adaptation of the tools of a server to its clients. */
export interface Adaptation {
  /** The adapter for a client by its name. Undefined: it gets the tools as they are. */
  adapterFor(clientName: unknown, tools: readonly ListEntry[]): Promise<ToolAdapter | undefined>;
  /** True if some client gets other tools than others. */
  varies(tools: readonly ListEntry[]): Promise<boolean>;
  /** Instructions of the server, as long as the client reads them. */
  instructionsFor(clientName: unknown, text: string): string | Promise<string>;
  /** A result as the client can use it. */
  resultFor(clientName: unknown, call: ResultToAdapt): WireObject | Promise<WireObject>;
  /** Keeps the tool of a task for its result. */
  keepTask(taskId: string, tool: ListEntry): void;
  /** The tool of a task. Undefined: it is not kept. */
  toolOfTask(taskId: string): ListEntry | undefined;
  /** Answers a call of a tool that the adaptation adds to lists. Undefined: there is no such tool. */
  callAdded(name: unknown, args: unknown, owner: string): Promise<WireObject | undefined>;
  /** Reads a part of a long result. Undefined: it is not kept. */
  readKept(uri: string, owner: string): WireObject | undefined;
  /** Limits of the wait of a client for its lists. */
  listPatience(clientName: unknown): Promise<ListPatience>;
  /**
   * Sends progress of a call for clients that end calls without progress, until the returned function is called. The
   * request has a progress token.
   */
  keepAlive(clientName: unknown, request: RequestContext): () => void;
}

/** The answer to a call of a tool. */
interface ResultToAdapt {
  readonly tool: ListEntry;
  readonly result: WireObject;
  /** Owner of the result, from the token of the request. */
  readonly owner: string;
}

/** Limits of the wait of a client for its lists. */
interface ListPatience {
  /** Longest wait in milliseconds. Undefined: it is unknown. */
  readonly waitMs?: number | undefined;
  /** True if the client never reads a list again. */
  readonly readsOnce: boolean;
}

/** Brings tools into the form that a client can use, and calls back into the form of the tools. */
export interface ToolAdapter {
  /** List entries for the client, in their order. Entries that fit are the same objects. */
  list(tools: readonly ListEntry[]): readonly ListEntry[];
  /** Tools that the client needs beside the listed ones. */
  added(tools: readonly ListEntry[]): readonly ListEntry[];
  /** The call of a tool by its name in the list of the client. Undefined: there is no such name. */
  findOriginal(name: string, tools: readonly ListEntry[]): ListEntry | undefined;
  /** Arguments as the tool expects them. */
  toOriginal(tool: ListEntry, args: WireObject): WireObject;
}

/** A tool as `tools/list` shows it. */
export type ListEntry = WireObject & { readonly name: string };

/** Work of one request that needs extension code. */
export interface HostedWork {
  readonly params: WireObject;
  /** Display name: `Tool "search"`. */
  readonly what: string;
  /** Longest run in milliseconds. */
  readonly timeoutMs: number;
  /** Identity that the state is valid for, if the work may send input requests. */
  readonly subject?: RequestIdentity;
  /** True if a failure of the host becomes a result for the model, false for a protocol error. Default: false. */
  readonly answersByResult?: boolean;
  /** Answers without the host, if the host fails. */
  readonly instead?: () => Promise<WireObject>;
}

/** The extension host, as seen by the front. */
export interface CodeHost {
  /** Answers a request in the host. @throws ProtocolError */
  answer(connection: Connection, request: RequestContext, work: HostedWork): Promise<WireObject>;
  /** True if a task has ended and its result is kept outside of the host. */
  hasTask(id: unknown): boolean;
  /** Cancels tasks in the host and waits until they have ended, at most `limitMs`. */
  endTasks(limitMs: number): Promise<void>;
  /** Resolves with true if the host answers or does not run. */
  isWell(): Promise<boolean>;
  /** Sends the log level and the root of a connection to the host. */
  update(connection: Connection): void;
  /** Forgets a connection that has ended. */
  forget(connection: Connection): void;
}

/** Reads and writes the state of suspended calls. */
interface StateKeeper {
  read(call: StatefulCall, state: unknown): Promise<ReplayState>;
  write(call: StatefulCall, remembered: ReplayState): Promise<string>;
}

/** Key of the requester in a context. */
export const asker: unique symbol = Symbol('who asks');

/** Client request that a nested call runs for. */
export interface RequesterInfo {
  /** Identical for all requests of one client on one connection. */
  readonly connection: object;
  readonly request: RequestContext;
  /** Identical for all requests of one user, if users can be distinguished. */
  readonly user: unknown;
  readonly wantsProgress: boolean;
  /** Lowest log level to send. Undefined: none. */
  readonly logLevel: string | undefined;
  /** True if an input request ends the run, and a retry starts the handler again with the answer. */
  readonly endsToAsk: boolean;
  /** True if the request is a retry with answers to input requests. */
  readonly isRetry: boolean;
}

/** The user of this machine. */
export const localUser = 'local';

/** Returns the client request that a call runs for. `depth` counts the nested calls between request and call. */
export function requesterInfo(connection: Connection, request: RequestContext, depth: number): RequesterInfo {
  const { meta, auth } = request;
  // Everything on this machine belongs to one user.
  const anonymous = connection.roots ? localUser : connection;
  const isModern = connection.era === 'modern';
  const logLevel = isModern ? meta?.[metaKey.logLevel] : connection.logLevel;
  return {
    connection,
    request,
    user: quotaKey(auth) ?? anonymous,
    // The calling tool decides about the progress of a nested call.
    wantsProgress: depth > 0 || meta?.progressToken !== undefined,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    endsToAsk: isModern,
    isRetry: isModern && isRetry(request),
  };
}
