import type { FileRecord } from '../receipt.js';

/** A config file and the record of it. */
export interface ConfigState {
  /** Null: no file. */
  readonly text: string | null;
  readonly record: FileRecord;
}

/** Planned text and record of a config file. */
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
