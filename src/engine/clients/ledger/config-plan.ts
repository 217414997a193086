import type { FileRecord } from '../receipt.js';

/** One config file, as it is and as we remember it. */
export interface ConfigState {
  /** Null: there is no file. */
  readonly text: string | null;
  readonly record: FileRecord;
}

/** What the file and our memory of it are to become. */
export interface Plan extends ConfigState {
  readonly outcome:
    | 'added'
    | 'updated'
    | 'exchanged'
    | 'adopted'
    | 'replaced'
    | 'unchanged'
    | 'removed'
    | 'restored'
    | 'shared'
    | 'gone';
}
