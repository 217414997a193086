import type { Splice } from './edit/splice.js';
import type { ForeignEntry, Plan } from './ledger/config-plan.js';
import type { ListChange } from './ledger/list-change.js';
import type { Receipt, RecordedEdit } from './receipt.js';

/** One change that AgentTools made to one config file. */
export interface FileChange {
  readonly version: 1;
  /** Name of the command, without its arguments: they may hold secrets. */
  readonly command: string;
  /** ISO 8601. */
  readonly time: string;
  /** The config file, as the client names it. */
  readonly file: string;
  readonly realFile: string;
  readonly outcome: Plan['outcome'];
  /** Null: no file. */
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly splice: Splice;
  readonly receipts: ListChange<Receipt>;
  readonly steps: ListChange<RecordedEdit>;
  readonly made: ListChange<string>;
  /** Folder of the record before the change. */
  readonly madeFolder?: string;
  /** The removed entry, if it had no receipt. */
  readonly foreign?: ForeignEntry;
  /** Name of the change that this one takes back. */
  readonly undoes?: string;
}

/** A change, and its name in the history. */
export interface RecordedChange extends FileChange {
  readonly name: string;
}
