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
  /**
   * Text for authors, in Markdown: the description in the published JSON Schema, the comment of the TypeScript
   * type and the row in `docs/`. Links are relative to `docs/`; only the docs keep them.
   */
  readonly description: string;
  /**
   * TypeScript type in definitions, if `types` do not determine it. The text of a method is its signature,
   * such as `(ctx: Context): unknown`.
   */
  readonly typescript?: string;
  readonly required?: boolean;
  /** Allowed values of a string, or of each string in a list. */
  readonly values?: readonly string[];
  /** Shape of the object, or of each object in the list. */
  readonly shape?: DefinitionShape;
  /** Shape of each value of the object, for any key. */
  readonly each?: DefinitionShape;
  /** True if `null` is allowed and has a meaning. Default: false. */
  readonly nullable?: boolean;
  /** True if clients never see the value or its effect. Default: false. */
  readonly unseen?: boolean;
}

export type DefinitionShape = Readonly<Record<string, KeyShape>>;

/** The description of a key without its links, for readers outside `docs/`. */
export function withoutLinks(description: string): string {
  return description.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}
