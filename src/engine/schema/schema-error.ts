/** What is wrong with a schema as its author wrote it. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  /** Leads into the author's value. */
  readonly path: readonly (string | number)[];
  /** What else is wrong with it. */
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
