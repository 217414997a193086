import type { Location } from '../../extension/diagnostics.js';
import type { Kind } from '../../extension/item-kinds.js';

/** Definitions that cannot be reached, or are duplicates. */
export interface FileSnapshot {
  /** Items, or (without `item`) whole kinds, that several files define; the first file is used. */
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
    /** The toolkit that has the tool and does not declare it. */
    readonly toolkit?: string;
  }[];
  /** Entries of combined files that the item's own file overrides. */
  readonly shadowed: readonly {
    readonly kind: Kind;
    readonly item: string;
    readonly location: Location;
    /** The file that is used. */
    readonly file: string;
  }[];
}
