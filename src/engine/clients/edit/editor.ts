/** Keys that lead from the root of a document to a value; a number is a place in a list. */
export type ConfigPath = readonly (string | number)[];

/** What an entry is made of. */
export type ConfigValue =
  | null
  | boolean
  | number
  | string
  | readonly ConfigValue[]
  | { readonly [key: string]: ConfigValue };

/** An entry of a config file: what a client starts a server by. */
export type ConfigEntry = { readonly [key: string]: ConfigValue };

/**
 * One syntax of config files, edited as text: every byte that a change does not need stays, comments, order, indentation,
 * line ends and number spellings included. Texts have no BOM here.
 */
export interface Editor {
  /**
   * The value of a text; undefined if it holds nothing but blanks and comments.
   * @throws ConfigError at the place that is malformed.
   */
  parse(text: string): unknown;
  /**
   * Inserts a value, or replaces the one that is there. What is missing on the way is made; an empty (`null`) value on
   * the way counts as missing. A number equal to a list's length appends.
   * @throws ConfigError where the text is malformed, something on the way is no map or list, a key on the way is there
   * twice, or the form cannot be edited without touching more.
   */
  set(text: string, path: ConfigPath, value: ConfigValue): string;
  /**
   * Takes one value out, and leaves what held it, empty if need be; the inverse of a `set` that inserted it.
   * @throws ConfigError as `set` does, and if there is no such value.
   */
  remove(text: string, path: ConfigPath): string;
}

/** A config file that is not touched, and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Character offset into the text, when the reason has a place. */
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}
