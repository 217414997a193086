import type { DocumentPath, Position } from '../base/files/document-path.js';
import type { ItemKind } from './item-kinds.js';

export type Severity = 'error' | 'warning' | 'info';

/** A place in a file of the package. Line and column are worked out from it when a diagnostic is printed. */
export interface Location {
  /** Relative to the package folder, with `/`. */
  readonly file: string;
  /** Where in a data file; the deepest part of it that exists is shown. */
  readonly path?: DocumentPath;
  /** Point at the key instead of its value. */
  readonly key?: boolean;
  /** For files that are not data: a position found by whoever reported, 1-based. */
  readonly position?: Position;
}

/** Which item, toolkit or skill a diagnostic is about. */
export interface ItemRef {
  readonly kind: ItemKind | 'toolkit' | 'skill';
  readonly name: string;
}

/** One thing wrong with somebody's extension: data, not an exception. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  /** Names the thing, says what is wrong with it and what would be right. */
  readonly message: string;
  readonly location: Location;
  readonly item?: ItemRef;
}
