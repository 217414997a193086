/** What is wrong with a schema as its author wrote it. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  /** Leads into the author's value. */
  readonly path: readonly (string | number)[];

  constructor(message: string, path: readonly (string | number)[] = [], options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}
