/** A fault of a schema in the form that its author wrote. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  /** Path into the author's value. */
  readonly path: readonly (string | number)[];
  /** Further faults of the schema. */
  readonly others: readonly SchemaError[];

  constructor(
    message: string,
    path: readonly (string | number)[] = [],
    { others = [], ...options }: ErrorOptions & { readonly others?: readonly SchemaError[] } = {},
  ) {
    super(message, options);
    this.path = path;
    this.others = others;
  }
}
