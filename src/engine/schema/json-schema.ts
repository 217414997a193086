/** A JSON Schema as it goes over the wire. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Shared by every copy of the package, so that they recognise each other's values. */
export const jsonSchemaBrand: unique symbol = Symbol.for('agenttools/json-schema') as never;

/** A value its author calls a JSON Schema, whatever it looks like. */
export interface RawSchema {
  readonly [jsonSchemaBrand]: object | string;
}

/** Marks an object or a JSON text as JSON Schema. Arguments checked by it are delivered untouched. */
export function jsonSchema(schema: object | string): RawSchema {
  return { [jsonSchemaBrand]: schema };
}
