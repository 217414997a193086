/** Keys and indexes from a document's root to a value. */
export type DocumentPath = readonly (string | number)[];

/** 1-based, columns in UTF-16 units, as editors and SARIF count. */
export interface Position {
  readonly line: number;
  readonly column: number;
}
