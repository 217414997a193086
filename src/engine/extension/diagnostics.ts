import type { DocumentPath, Position } from '../base/files/document-path.js';
import type { ItemKind } from './item-kinds.js';

export type Severity = 'error' | 'warning' | 'info';

/** A position in a file of the package. Line and column are computed when a diagnostic is printed. */
export interface Location {
  /** Relative to the package folder, with `/`. */
  readonly file: string;
  /** Path in a data file. The report shows its deepest part that exists. */
  readonly path?: DocumentPath;
  /** True to point at the key instead of its value. Default: false. */
  readonly key?: boolean;
  /** 1-based position in a file that is not data, found by the reporter. */
  readonly position?: Position;
}

/** The item, toolkit or skill that a diagnostic is about. */
export interface ItemRef {
  readonly kind: ItemKind | 'toolkit' | 'skill';
  readonly name: string;
}

/** A problem in an extension, as data and not as an exception. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  /** Names the subject, the problem and the expected state. */
  readonly message: string;
  readonly location: Location;
  readonly item?: ItemRef;
}
