import type { Location } from '../../extension/diagnostics.js';
import type { Kind } from '../../extension/item-kinds.js';

/** A definition that nobody can reach, or one too many. */
export interface FileSnapshot {
  /** Items, or (without `item`) whole kinds, that several files define; the first file counts. */
  readonly duplicates: readonly {
    readonly kind: Kind;
    readonly item?: string;
    readonly files: readonly string[];
  }[];
  /** Definitions without a declaration. */
  readonly undeclared: readonly {
    readonly kind: Kind;
    readonly item: string;
    readonly location: Location;
    /** The toolkit that has it and does not tell. */
    readonly toolkit?: string;
  }[];
  /** Entries of combined files that an item's own file hides. */
  readonly shadowed: readonly {
    readonly kind: Kind;
    readonly item: string;
    readonly location: Location;
    /** The file that counts. */
    readonly file: string;
  }[];
}
