import type { AuthInfo } from '@modelcontextprotocol/server';
import type { WireObject } from '../protocol/envelope.js';
import { type Era, type logLevels, metaKey } from '../protocol/eras.js';
import type { Peer, RequestContext } from '../protocol/request.js';
import type { Context, ListedItem, Session, ShownQuery } from '../runtime/context.js';
import type { HookWatch } from '../runtime/hook-watch.js';
import type { ServerRuntime } from '../runtime/server-runtime.js';
import type { ClientRoots } from './client-roots.js';
import type { LiveServer } from './live-server.js';

/** The request that questions belong to: one that brings answers must be the one that was asked in. */
export interface RequestIdentity {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  /** Name, or address. */
  readonly name: string;
  readonly args: unknown;
}

/** Whether a request brings answers to what was asked in one before. */
export function isRetry({ inputResponses, requestState }: RequestContext): boolean {
  return inputResponses !== undefined || requestState !== undefined;
}

/** What a call has come to so far. It lies with the client: signed, and readable to whoever looks. */
export interface ReplayState {
  /** Responses by the keys of their questions. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** JSON texts by the keys of steps. */
  readonly steps: Readonly<Record<string, string>>;
  /** The keys that were asked for last. */
  readonly asked: readonly string[];
}

/** The call that a state belongs to. */
export interface StatefulCall {
  readonly connection: Pick<Connection, 'calls'>;
  readonly request: Pick<RequestContext, 'auth'>;
  readonly subject: RequestIdentity;
}

/** What one served connection knows beyond a single request. */
export interface Connection {
  readonly era: Era;
  readonly peer: Peer;
  readonly calls: ServerRuntime;
  /** What the user set in `MCP_TOOL_OPTIONS`. */
  readonly toolOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly live: LiveServer;
  /** `ctx.registry.shown` */
  readonly shown: (request: RequestContext, query?: ShownQuery) => Promise<readonly ListedItem[]>;
  /** What handlers tell all clients of the server; fit to be kept beyond a request. */
  readonly announce: Pick<Context, 'notifyChanged' | 'notifyResourceUpdated'>;
  /** What handlers keep for as long as it lasts; undefined on 2026-07-28, whose requests stand alone. */
  readonly session: Session | undefined;
  /** Runs what needs code of the extension; undefined: this process does. */
  readonly host?: CodeHost | undefined;
  /** Watches hooks of lists; absent: they run unwatched. */
  readonly hooks?: HookWatch | undefined;
  /** Keeps what calls remember between rounds; absent: it is signed here. */
  readonly states?: StateKeeper | undefined;
  /** Resources that a 2025-era client wants to hear of. */
  readonly subscribed: Set<string>;
  /** Collects the roots of the client; undefined if they are folders of another machine. */
  readonly roots: ClientRoots | undefined;
  /** Where a 2025-era client works, as far as it told. */
  root: string | undefined;
  /** Lowest level a 2025-era client wants to see; `logging/setLevel` changes it. */
  logLevel: (typeof logLevels)[number];
}

/** Work of one request that needs code of the extension. */
export interface HostedWork {
  readonly params: WireObject;
  /** In words: `Tool "search"`. */
  readonly what: string;
  /** Longest run. */
  readonly timeoutMs: number;
  /** What its state is good for, if it may ask the client. */
  readonly subject?: RequestIdentity;
  /** Whether a failure of the host is a result that the model reads; else it is a protocol error. */
  readonly answersByResult?: boolean;
  /** Answers in place of a host that fails. */
  readonly instead?: () => Promise<WireObject>;
}

/** The extension host, as the front uses it. */
export interface CodeHost {
  /** Has the host answer a request. @throws ProtocolError */
  answer(connection: Connection, request: RequestContext, work: HostedWork): Promise<WireObject>;
  /** True if a task is over and kept outside of the host. */
  hasTask(id: unknown): boolean;
  /** Calls off tasks that run in the host, and waits for their ends within `limitMs`. */
  endTasks(limitMs: number): Promise<void>;
  /** Whether the host answers, if it runs. */
  isWell(): Promise<boolean>;
  /** Tells the host the log level and the root of a connection. */
  update(connection: Connection): void;
  /** The connection has ended. */
  forget(connection: Connection): void;
}

/** Keeps what a call remembers until the client answers. */
interface StateKeeper {
  read(call: StatefulCall, state: unknown): Promise<ReplayState>;
  write(call: StatefulCall, remembered: ReplayState): Promise<string>;
}

/** Under which a context tells who asks. */
export const asker: unique symbol = Symbol('who asks');

/** Who asks, for what calls others on their behalf. */
export interface RequesterInfo {
  /** The same for all that one client asks for on one connection. */
  readonly connection: object;
  readonly request: RequestContext;
  /** What is known of the token that it came with. */
  readonly auth: AuthInfo | undefined;
  readonly wantsProgress: boolean;
  /** From which level on log messages are wanted; undefined: none are. */
  readonly logLevel: string | undefined;
  /** Whether a question ends the run, and the handler begins anew with the answer. */
  readonly endsToAsk: boolean;
  /** Whether the request brings answers to what was asked before. */
  readonly isRetry: boolean;
}

/** The client that a call runs for, `depth` calls away from the client's request. */
export function requesterInfo(connection: Connection, request: RequestContext, depth: number): RequesterInfo {
  const { meta, auth } = request;
  const isModern = connection.era === 'modern';
  const logLevel = isModern ? meta?.[metaKey.logLevel] : connection.logLevel;
  return {
    connection,
    request,
    auth,
    // What a tool that calls another does with its progress is its own affair.
    wantsProgress: depth > 0 || meta?.progressToken !== undefined,
    logLevel: typeof logLevel === 'string' ? logLevel : undefined,
    endsToAsk: isModern,
    isRetry: isModern && isRetry(request),
  };
}
