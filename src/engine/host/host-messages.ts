import type { AuthInfo } from '@modelcontextprotocol/server';
import type { PlainData } from '../base/plain-data.js';
import type { ReplayState } from '../live/connection.js';
import type { ErrorBody, JsonObject, MessageId } from '../protocol/envelope.js';
import type { LogLevelName } from '../protocol/eras.js';
import type { ClientIdentity } from '../protocol/request.js';
import type { ListedKind } from '../runtime/context.js';

/** The server that a host runs, and its surroundings. */
export interface HostedServer {
  readonly server: string | undefined;
  readonly project: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Refuse code of packages that are not as they were when they were added. */
  readonly frozen: boolean;
}

/** Modules that a host does not load when it composes the server: files, each with the reason. */
export type Excluded = Readonly<Record<string, string>>;

/** A module as the host describes it, or why it could not be loaded. */
export type DescribedModule = (PlainData | { readonly failure: string }) & {
  /** Names of the environment variables that modules have read while they loaded. Null: all. */
  readonly env: readonly string[] | null;
};

/** A request of a client, as the host answers it. */
export interface HostedRequest {
  readonly id: MessageId;
  readonly method: string;
  readonly params: JsonObject;
  readonly auth?: AuthInfo;
  readonly inputResponses?: JsonObject;
  /** The verified state of the round before. */
  readonly state?: ReplayState;
}

/** A connection of the front, as the host knows it. */
export interface HostedConnection {
  readonly version: string | undefined;
  readonly client: ClientIdentity | undefined;
  readonly root: string | undefined;
  readonly logLevel: LogLevelName;
  /** JSON texts by key. */
  readonly session: Readonly<Record<string, string>>;
}

/** Messages to the host. Numbers are given by the front; `connection` 0 is that of all requests of 2026-07-28. */
export type ToHost =
  | {
      readonly type: 'start';
      readonly hosted: HostedServer;
      /** Changes that code made in earlier hosts, in words. */
      readonly usualChanges: readonly string[];
    }
  | { readonly type: 'describe'; readonly call: number; readonly file: string; readonly relative: string }
  | { readonly type: 'ping'; readonly call: number }
  /** `packages`: folders of the added packages that the front serves, by name. Newer versions do not count. */
  | { readonly type: 'compose'; readonly call: number; readonly packages: Readonly<Record<string, string>> }
  /** Replaces what was excluded before. */
  | { readonly type: 'exclude'; readonly excluded: Excluded; readonly hooks: Excluded }
  /** Run the function that finds a place, or compare it with those of other definitions. */
  | { readonly type: 'place' | 'place-key'; readonly call: number; readonly id: string }
  /** The tools that upstream servers list, by the entries of the server; null: not known. */
  | { readonly type: 'upstream-tools'; readonly lists: readonly (readonly unknown[] | null)[] }
  /** An upstream server asks the client of a handler. `id`: the call is kept for the run that brings the answer. */
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
      readonly level: string;
      readonly data: unknown;
    }
  | { readonly type: 'end-tasks'; readonly call: number; readonly limitMs: number }
  | { readonly type: 'open'; readonly connection: number; readonly opened: HostedConnection }
  | {
      readonly type: 'update';
      readonly connection: number;
      readonly root: string | undefined;
      readonly logLevel: LogLevelName;
    }
  | { readonly type: 'close'; readonly connection: number }
  /** Abort what is running, then exit. */
  | { readonly type: 'end' }
  | {
      readonly type: 'request';
      readonly call: number;
      readonly connection: number;
      readonly request: HostedRequest;
    }
  | { readonly type: 'cancel'; readonly call: number; readonly reason: string }
  /** The answer to whatever has a `question`. */
  | { readonly type: 'answer'; readonly question: number; readonly result: unknown }
  | {
      readonly type: 'failure';
      readonly question: number;
      readonly error: ErrorBody;
      readonly isTimeout: boolean;
      /** The model may read the message. */
      readonly isForModel?: boolean;
    };

/** Messages of the host. Whatever comes is checked like the message of a stranger. */
export type FromHost =
  | { readonly type: 'ready' }
  /** The host begins to load a module, or has loaded it. */
  | { readonly type: 'loading' | 'loaded'; readonly file: string }
  /** The end of a message with a `call`. */
  | {
      readonly type: 'result';
      readonly call: number;
      readonly result: JsonObject | DescribedModule;
    }
  /** Without a `code` it is no answer of a handler: the host itself failed. */
  | {
      readonly type: 'error';
      readonly call: number;
      readonly error: Pick<ErrorBody, 'message' | 'data'> & { readonly code?: number };
    }
  /** A hook begins, or is over. */
  | {
      readonly type: 'hook';
      readonly hook: string;
      readonly isOver: boolean;
      readonly limitMs: number | null;
    }
  /** A module has broken this host for good while it loaded. `change` completes a sentence about the host. */
  | { readonly type: 'broken'; readonly change: string }
  /** Code has changed what all code of the host shares. Unless that is usual, the host begins no more requests. */
  | {
      readonly type: 'changed';
      readonly changes: readonly string[];
      readonly isUsual: boolean;
      /** Nothing was replaced or removed. */
      readonly isAddition: boolean;
    }
  /** The host does not begin a request. */
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
      /** The handler ends to ask the client. Another run goes on. */
      readonly isSuspension?: boolean;
    }
  /** Wait for the tools of upstream servers. */
  | { readonly type: 'upstream-find'; readonly question: number }
  /** Call a tool of an upstream server; `begin` keeps the call and gives its id. `theirs` is its name there. */
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
  /** The task that a request has become is over: its description, as `tasks/get` answers. */
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
