import type { Client } from '../clients/client.js';

/** Result for one entry of one client, or the plan of a dry run. */
export interface SyncRow {
  readonly client: Client;
  readonly key: string;
  /** Server as declared; for removals as recorded. */
  readonly server: string;
  /**
   * `skipped`: the client is not on this machine. `refused`: the client cannot have the server. `failed`: the entry could not
   * be written.
   */
  readonly action:
    | 'add'
    | 'update'
    | 'remove'
    | 'adopt'
    | 'none'
    | 'keep'
    | 'conflict'
    | 'skipped'
    | 'refused'
    | 'failed';
  readonly file?: string;
  /** For the user, in sentences. */
  readonly reason?: string;
  readonly notes?: readonly string[];
  readonly before?: string | null;
  readonly after?: string | null;
}

/** Actions for entries that are as declared. */
export const settledActions: readonly SyncRow['action'][] = ['none', 'skipped'];

/** Actions that leave an entry different until the user decides. */
export const failedActions: readonly SyncRow['action'][] = ['conflict', 'refused', 'failed'];
