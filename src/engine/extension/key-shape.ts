/**
 * What a key of a definition may hold. `callable` is a function or a module reference (`"./file.js#export"`),
 * `schema` any of the schema forms, `raw-schema` a JSON Schema object or its text, `texts` an object of strings, `needs`
 * names of things all of which are needed, where a list among them is of things of which one suffices.
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
  /** The types it may have; the first is the usual one. */
  readonly types: readonly ValueType[];
  /** One sentence for authors; it becomes the description in the published JSON Schema. */
  readonly description: string;
  readonly required?: boolean;
  /** The values a string, or each string of a list, may have. */
  readonly values?: readonly string[];
  /** What the object, or each object of the list, holds. */
  readonly shape?: DefinitionShape;
  /** What each value of the object holds, whatever its key. */
  readonly each?: DefinitionShape;
  /** `null` is legal too, and means something. */
  readonly nullable?: boolean;
}

export type DefinitionShape = Readonly<Record<string, KeyShape>>;
