/**
 * Value type of a definition key. `callable` is a function or a module reference (`"./file.js#export"`).
 * `schema` is any schema form, `raw-schema` a JSON Schema object or its text. `texts` is an object of
 * strings. `needs` is a list of required names; a nested list contains alternatives.
 */
export type ValueType =
  | 'string'
  | 'boolean'
  | 'positive-number'
  | 'count'
  | 'strings'
  | 'string-list'
  | 'texts'
  | 'needs'
  | 'object'
  | 'list'
  | 'callable'
  | 'schema'
  | 'raw-schema'
  | 'any';

/** One key of a definition. */
export interface KeyShape {
  /** Allowed types; the usual one first. */
  readonly types: readonly ValueType[];
  /** One sentence for authors; also the description in the published JSON Schema. */
  readonly description: string;
  readonly required?: boolean;
  /** Allowed values of a string, or of each string in a list. */
  readonly values?: readonly string[];
  /** Shape of the object, or of each object in the list. */
  readonly shape?: DefinitionShape;
  /** Shape of each value of the object, for any key. */
  readonly each?: DefinitionShape;
  /** True if `null` is allowed and has a meaning. Default: false. */
  readonly nullable?: boolean;
}

export type DefinitionShape = Readonly<Record<string, KeyShape>>;
