import type { AuthInfo } from '@modelcontextprotocol/server';
import type { PlainData } from '../base/plain-data.js';
import type { ReplayState } from '../live/connection.js';
import type { ErrorBody, JsonObject, MessageId } from '../protocol/envelope.js';
import type { LogLevelName } from '../protocol/eras.js';
import type { ClientIdentity } from '../protocol/request.js';
import type { ListedKind } from '../runtime/context.js';
import type { ServedKind } from '../runtime/served-kind.js';
import type { UpstreamListing } from '../runtime/upstream.js';

/** Server that a host runs, and its environment. */
export interface HostedServer {
  readonly server: string | undefined;
  readonly project: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Refuses changed packages, and items that differ from their record: these alone, or with them the server. */
  readonly frozen?: 'item' | 'server';
}

/** Modules that a host does not load when it composes the server: reasons by file. */
export type Excluded = Readonly<Record<string, string>>;

/** Description of a module by the host, or the reason for a failed load. */
export type DescribedModule = (PlainData | { readonly failure: string }) & {
  /** Names of the environment variables that modules have read while they loaded. Null: all variables. */
  readonly env: readonly string[] | null;
};

/** Client request in the form that a host receives. */
export interface HostedRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonObject;
  readonly auth?: AuthInfo;
  readonly inputResponses?: JsonObject;
  /** Verified state of the previous run. */
  readonly state?: ReplayState;
}

/** Connection of the front in the form that a host receives. */
export interface HostedConnection {
  readonly version: string | undefined;
  readonly client: ClientIdentity | undefined;
  readonly root: string | undefined;
  readonly logLevel: LogLevelName;
  /** JSON texts by key. */
  readonly session: Readonly<Record<string, string>>;
}

/**
 * Messages to the host. The front assigns the numbers of `call`, `connection` and `ask`, the host those in `question`.
 * All requests of 2026-07-28 share `connection` 0.
 */
export type ToHost =
  | {
      readonly type: 'start';
      readonly hosted: HostedServer;
      /** Changes that code made in earlier hosts, as text. */
      readonly usualChanges: readonly string[];
    }
  /**
   * Opens the debugger port, or closes it if `port` is null. `waits`: later messages wait until a debugger is attached,
   * which then stops the host.
   */
  | { readonly type: 'debug'; readonly port: number | null; readonly waits: boolean }
  | { readonly type: 'describe'; readonly call: number; readonly file: string; readonly relative: string }
  | { readonly type: 'ping'; readonly call: number }
  /** `packages`: folders of the added packages that the front serves, by name. Newer versions are ignored. */
  | { readonly type: 'compose'; readonly call: number; readonly packages: Readonly<Record<string, string>> }
  /** Replaces the previous exclusions. */
  | { readonly type: 'exclude'; readonly excluded: Excluded; readonly hooks: Excluded }
  /**
   * `place` runs the function that finds an upstream endpoint; `place-key` compares it with the functions of other
   * definitions.
   */
  | { readonly type: 'place' | 'place-key'; readonly call: number; readonly id: string }
  /** Items of the upstream servers, by the entries of the server. Null: unknown. */
  | { readonly type: 'upstream-items'; readonly lists: readonly (UpstreamListing | null)[] }
  /**
   * Input request of an upstream server to the client of a handler. `id`: the call is kept for the run that brings the
   * answer.
   */
  | {
      readonly type: 'upstream-ask';
      readonly question: number;
      readonly ask: number;
      readonly key: string;
      readonly id?: string;
      readonly method: string;
      readonly params: JsonObject;
    }
  | {
      readonly type: 'upstream-progress';
      readonly question: number;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  | {
      readonly type: 'upstream-log';
      readonly question: number;
      readonly params: JsonObject;
    }
  /** Runs the `initialize` hook of the server, then the hook of a tool, if one is named. */
  | { readonly type: 'initialize'; readonly call: number; readonly tool?: string; readonly limitMs: number }
  | { readonly type: 'end-tasks'; readonly call: number; readonly limitMs: number }
  | { readonly type: 'open'; readonly connection: number; readonly opened: HostedConnection }
  | {
      readonly type: 'update';
      readonly connection: number;
      readonly root: string | undefined;
      readonly logLevel: LogLevelName;
    }
  | { readonly type: 'close'; readonly connection: number }
  /** Abort all work, then exit. */
  | { readonly type: 'end' }
  | {
      readonly type: 'request';
      readonly call: number;
      readonly connection: number;
      readonly request: HostedRequest;
    }
  | { readonly type: 'cancel'; readonly call: number; readonly reason: string }
  /** Answer to any message with a `question`. */
  | { readonly type: 'answer'; readonly question: number; readonly result: unknown }
  | {
      readonly type: 'failure';
      readonly question: number;
      readonly error: ErrorBody;
      readonly isTimeout: boolean;
      /** True if the model may read the message. */
      readonly isForModel?: boolean;
    };

/** Messages from the host. The front trusts none of them and checks each value. */
export type FromHost =
  | { readonly type: 'ready' }
  /** The host begins to load a module, or has loaded it. */
  | { readonly type: 'loading' | 'loaded'; readonly file: string }
  /** Result of a message with a `call`. */
  | {
      readonly type: 'result';
      readonly call: number;
      readonly result: JsonObject | DescribedModule;
    }
  /** Without a `code`, the host itself failed rather than a handler. */
  | {
      readonly type: 'error';
      readonly call: number;
      readonly error: Pick<ErrorBody, 'message' | 'data'> & { readonly code?: number };
    }
  /** A hook begins or ends. */
  | {
      readonly type: 'hook';
      readonly hook: string;
      readonly isOver: boolean;
      readonly limitMs: number | null;
    }
  /** A module has irreparably broken this host while it loaded. `change` completes a sentence about the host. */
  | { readonly type: 'broken'; readonly change: string }
  /** Code has changed shared objects of the host. Unless the change is usual, the host begins no more requests. */
  | {
      readonly type: 'changed';
      readonly changes: readonly string[];
      readonly isUsual: boolean;
      /** True if no property was replaced or removed. */
      readonly isAddition: boolean;
    }
  /** The host refuses to begin a request. */
  | { readonly type: 'refusal'; readonly call: number }
  | { readonly type: 'notify'; readonly call: number; readonly method: string; readonly params: JsonObject }
  | {
      readonly type: 'ask';
      readonly call: number;
      readonly question: number;
      readonly method: string;
      readonly params?: JsonObject;
      readonly timeoutMs: number;
    }
  | {
      readonly type: 'withdraw';
      readonly question: number;
      readonly reason: string;
      /** True if the handler ends to wait for input. Another run continues. */
      readonly isSuspension?: boolean;
    }
  /** Wait for the items of upstream servers. */
  | { readonly type: 'upstream-find'; readonly question: number; readonly kind: ServedKind }
  /**
   * Call a tool of an upstream server. `upstream-begin` keeps the call and returns its id. `theirs`: the name of the
   * tool on the upstream server.
   */
  | {
      readonly type: 'upstream-call' | 'upstream-begin';
      readonly call: number;
      readonly question: number;
      readonly tool: string;
      readonly theirs: string;
      readonly args: JsonObject;
      readonly wantsProgress: boolean;
    }
  | {
      readonly type: 'upstream-attend';
      readonly call: number;
      readonly question: number;
      readonly id: string;
    }
  | { readonly type: 'upstream-answer'; readonly ask: number; readonly result: JsonObject }
  | {
      readonly type: 'upstream-refusal';
      readonly ask: number;
      readonly message: string;
      readonly code?: number;
    }
  | {
      readonly type: 'seal';
      readonly call: number;
      readonly question: number;
      readonly remembered: ReplayState;
    }
  /** The task of a request has ended: its description, as in the answer to `tasks/get`. */
  | { readonly type: 'task-ended'; readonly call: number; readonly task: JsonObject }
  | { readonly type: 'close-stream'; readonly call: number }
  | { readonly type: 'list-changed'; readonly kind: ListedKind }
  | { readonly type: 'resource-updated'; readonly uri: string }
  | {
      readonly type: 'session';
      readonly connection: number;
      readonly key: string;
      readonly text?: string;
    };
