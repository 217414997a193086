/** Keys that lead from the root of a document to a value; a number is an index in a list. */
export type ConfigPath = readonly (string | number)[];

/** Value in an entry. */
export type ConfigValue =
  | null
  | boolean
  | number
  | string
  | readonly ConfigValue[]
  | { readonly [key: string]: ConfigValue };

/** An entry of a config file: the fields by which a client starts a server. */
export type ConfigEntry = { readonly [key: string]: ConfigValue };

/** A change of one value. Without `value`, the value is removed. */
export interface EditStep {
  readonly path: ConfigPath;
  readonly value?: ConfigValue;
}

/**
 * Editor for one syntax of config files. Works on text and keeps every byte that a change does not need:
 * comments, order, indentation, line ends and number spellings. Texts have no BOM.
 */
export interface Editor {
  /**
   * Returns the value of a text; undefined if it holds only blanks and comments.
   * @throws ConfigError with the offset of the fault if the text is malformed.
   */
  parse(text: string): unknown;
  /** Returns the value at a path; undefined if it is missing. @throws ConfigError as `parse` does. */
  valueAt(text: string, path: ConfigPath): unknown;
  /** True if there is a value at a path, other than `null`. Takes less time than `valueAt`. @throws ConfigError as `parse` does. */
  holds(text: string, path: ConfigPath): boolean;
  /** Offset of a value, or of its key; undefined if it is missing, or the syntax has no lists of entries. */
  offsetAt(text: string, path: ConfigPath): number | undefined;
  /**
   * Inserts or replaces a value. Creates missing parents; an empty (`null`) parent counts as missing. A
   * number equal to the length of a list appends.
   * @throws ConfigError if the text is malformed, a parent is not a map or list, a key of the path is
   * duplicate, or the edit would change more than the value.
   */
  set(text: string, path: ConfigPath, value: ConfigValue): string;
  /**
   * Removes one value and keeps its container, which may become empty; the inverse of a `set` that inserted
   * the value.
   * @throws ConfigError as `set` does, and if there is no such value.
   */
  remove(text: string, path: ConfigPath): string;
  /**
   * True if a text differs from an earlier one by the steps only. Ignores empty maps and lists that contained a removed value.
   * @throws ConfigError as `parse` does.
   */
  isChangedBy(
    steps: readonly EditStep[],
    texts: { readonly before: string; readonly after: string },
  ): boolean;
}

/** Reason why a config file is not changed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Character offset into the text; undefined if the reason has no position. */
  readonly offset: number | undefined;
  /** Advice, in a sentence. Default: to fix the place in the file. */
  readonly advice: string;

  constructor(
    message: string,
    offset?: number,
    advice = offset === undefined ? 'Change it by hand.' : 'Fix this place in the file, then try again.',
  ) {
    super(message);
    this.offset = offset;
    this.advice = advice;
  }
}

/** A key on the path to a value is duplicate, so that the value is not known. */
export function twiceError(key: string, offset: number): ConfigError {
  return new ConfigError(
    `The key ${JSON.stringify(key)} occurs twice.`,
    offset,
    'Remove or rename one of the two, then try again.',
  );
}
