import type { Position } from '../base/files/document-path.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { UserScript } from './fake-user.js';
import type { ListName } from './test-client.js';

/** Expectations about one answer. See the JSON Schema `case.schema.json` for their meaning. */
export interface CaseExpectation {
  readonly value?: unknown;
  readonly contains?: unknown;
  readonly schema?: JsonObject | boolean;
  readonly text?: string;
  readonly pattern?: string;
  readonly snapshot?: true;
  readonly error?: boolean | string | { readonly code?: number; readonly pattern?: string };
  readonly notifications?: readonly ExpectedNotification[];
  /** In code only: throws if the result is not as expected. */
  readonly check?: (result: JsonObject) => void | Promise<void>;
}

export interface ExpectedNotification {
  readonly progress?: JsonObject;
  readonly log?: { readonly level?: string; readonly data?: unknown; readonly pattern?: string };
  readonly changed?: 'tools' | 'prompts' | 'resources';
}

/** One request to a server, and its expected answer. It has one of `tool`, `prompt`, `resource`, `list` and `complete`. */
export interface TestCase {
  readonly name?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly prompt?: string;
  readonly resource?: string;
  readonly list?: ListName;
  readonly complete?: {
    readonly prompt?: string;
    readonly resource?: string;
    readonly argument: string;
    readonly value?: string;
    readonly arguments?: Readonly<Record<string, string>>;
  };
  readonly arguments?: JsonObject;
  readonly expect?: CaseExpectation;
  readonly elicit?: Exclude<UserScript['elicit'], (...args: never[]) => unknown>;
  readonly sample?: Exclude<UserScript['sample'], (...args: never[]) => unknown>;
  readonly roots?: UserScript['roots'];
  readonly client?:
    | string
    | { readonly name?: string; readonly version?: string; readonly capabilities?: JsonObject };
  readonly era?: 'legacy' | 'modern' | 'both';
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: JsonObject;
  readonly timeoutMs?: number;
}

/** Content of a case file: one case, or several with defaults. */
export interface TestCases extends TestCase {
  readonly cases?: readonly TestCase[];
}

/** A position in a case file. */
export interface CasePlace extends Position {
  /** Relative to the folder of the cases, with `/`. */
  readonly file: string;
}

/** A case with the defaults of its file and its position. */
export interface LoadedCase extends TestCase {
  readonly name: string;
  readonly place: CasePlace;
}

/** A case file, or a part of it, that cannot be used. */
export interface CaseFault extends CasePlace {
  readonly message: string;
}
