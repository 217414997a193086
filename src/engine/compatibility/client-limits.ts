import data from './client-limits.json' with { type: 'json' };

/** A client or a model API with limits for tools. */
export interface LimitSubject {
  readonly id: string;
  readonly name: string;
  readonly kind: 'client' | 'api';
  /** Names of the client in MCP (`clientInfo.name`). A `*` at the end: names that begin with it. */
  readonly clientNames?: readonly string[];
  /** Version that was measured. */
  readonly version?: string;
  /** APIs that the client sends tools to by default. */
  readonly uses?: readonly string[];
}

/**
 * Effect of a breach, worst first: all tools of the server are lost, requests of the client fail, the tool is lost, a part is
 * lost, a part is changed.
 */
type LimitEffect =
  | 'lose-all'
  | 'reject-request'
  | 'reject-tool'
  | 'skip'
  | 'strip'
  | 'truncate'
  | 'rename'
  | 'change'
  | 'ignore';

/** A limit of one client or API. */
export interface ClientLimit {
  /** Code of the rule that checks the limit. */
  readonly code: string;
  /** Id of the client or API. */
  readonly subject: string;
  readonly effect: LimitEffect;
  /** The effect, as the end of a sentence about the client. */
  readonly does: string;
  /** True if users see no message. */
  readonly silent: boolean;
  readonly evidence: 'measured' | 'source' | 'reported';
  readonly source: string;
  /** Date of the last check, as `YYYY-MM-DD`. */
  readonly checked: string;
  /** Largest allowed value. Absent if every finding is a breach. */
  readonly limit?: number;
  readonly unit?: string;
  /** Range of versions. Default: all. */
  readonly versions?: string;
  /** Conditions of the check. */
  readonly scope?: Readonly<Record<string, string | number>>;
}

/** Limits of clients and model APIs. A new limit is a new row of the file. */
export const limitSubjects: readonly LimitSubject[] = data.subjects as readonly LimitSubject[];

export const clientLimits: readonly ClientLimit[] = data.rows as readonly ClientLimit[];

const losing = new Set<LimitEffect>(['lose-all', 'reject-request', 'reject-tool', 'skip']);

/** True if users of the client cannot use the tool, or any tool of the server. */
export function losesTools({ effect }: ClientLimit): boolean {
  return losing.has(effect);
}

/** A condition for findings: true for the limits that do not accept the form. */
export function refuses(form: 'boolean' | 'outputSchema'): (limit: ClientLimit) => boolean {
  return ({ scope }) => !String(scope?.accepts ?? '').includes(form);
}
