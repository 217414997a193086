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

/** One change of a data file. Paths start at the root of the document, which has the keys of the path except the last. */
export type DocumentEdit = { readonly path: DocumentPath } & (
  | { readonly rename: string }
  | { readonly value: unknown }
  /** Adds to a list, unless it contains the value. A missing list is created. */
  | { readonly append: string }
  | { readonly remove: true }
);

/** A change that resolves a diagnostic, if it has one right answer. */
export interface Fix {
  /** Data file, relative to the package folder, with `/`. */
  readonly file: string;
  /** All or none are made, in this order. */
  readonly edits: readonly DocumentEdit[];
  /** The change in words: `adds "a" to "files"`. */
  readonly what: string;
}

/** A problem in an extension, as data and not as an exception. */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  /** Names the subject, the problem and the expected state. */
  readonly message: string;
  readonly location: Location;
  readonly item?: ItemRef;
  readonly fix?: Fix;
}
