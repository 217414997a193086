import type { ConfigEntry } from '../edit/editor.js';
import type { EntryLocator } from '../edit/entries.js';
import type { FileRecord } from '../receipt.js';

/** A config file and the record of it. */
export interface ConfigState {
  /** Null: no file. */
  readonly text: string | null;
  readonly record: FileRecord;
}

/** An entry that another program wrote, and its position. */
export interface ForeignEntry {
  readonly place: EntryLocator;
  readonly entry: ConfigEntry;
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
  /** The removed entry, if it had no receipt. */
  readonly foreign?: ForeignEntry;
}
