/** A JSON Schema in wire form. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Registered symbol: all copies of the package recognise each other's values. */
export const jsonSchemaBrand: unique symbol = Symbol.for('agenttools/json-schema') as never;

/** A value that its author marked as JSON Schema. */
export interface RawSchema {
  readonly [jsonSchemaBrand]: object | string;
}

/** Marks an object or a JSON text as JSON Schema. Arguments checked by it are delivered unchanged. */
export function jsonSchema(schema: object | string): RawSchema {
  return { [jsonSchemaBrand]: schema };
}
