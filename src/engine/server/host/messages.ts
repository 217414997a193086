import type { AuthInfo } from '@modelcontextprotocol/server';
import type { ListedKind } from '../../items/context.js';
import type { PlainData } from '../../plain-data.js';
import type { Remembered } from '../interaction/state.js';
import type { ErrorBody, JsonObject, MessageId } from '../protocol/envelope.js';
import type { LogLevelName } from '../protocol/eras.js';
import type { ClientIdentity } from '../protocol/request.js';

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
  readonly state?: Remembered;
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
      /** What code has changed in earlier hosts, in words. */
      readonly usualChanges: readonly string[];
    }
  | { readonly type: 'describe'; readonly call: number; readonly file: string; readonly relative: string }
  | { readonly type: 'compose' | 'ping'; readonly call: number }
  /** Replaces what was excluded before. */
  | { readonly type: 'exclude'; readonly excluded: Excluded; readonly hooks: Excluded }
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
  /** The answer to an `ask` or a `seal`. */
  | { readonly type: 'answer'; readonly question: number; readonly result: unknown }
  | {
      readonly type: 'failure';
      readonly question: number;
      readonly error: ErrorBody;
      readonly isTimeout: boolean;
    };

/** Messages of the host. Whatever comes is checked like the message of a stranger. */
export type FromHost =
  | { readonly type: 'ready' }
  /** The host begins to load a module, or has loaded it. */
  | { readonly type: 'loading' | 'loaded'; readonly file: string }
  /** The end of a `describe`, a `compose`, a `ping` or a `request`. */
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
  | { readonly type: 'changed'; readonly changes: readonly string[]; readonly isUsual: boolean }
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
  | { readonly type: 'withdraw'; readonly question: number; readonly reason: string }
  | {
      readonly type: 'seal';
      readonly call: number;
      readonly question: number;
      readonly remembered: Remembered;
    }
  | { readonly type: 'close-stream'; readonly call: number }
  | { readonly type: 'list-changed'; readonly kind: ListedKind }
  | { readonly type: 'resource-updated'; readonly uri: string }
  | {
      readonly type: 'session';
      readonly connection: number;
      readonly key: string;
      readonly text?: string;
    };
