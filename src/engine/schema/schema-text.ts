import { isRecord } from './compiled.js';
import { SchemaError } from './schema-error.js';

/** The object that a JSON text holds. Errors name line and column within the text. */
export async function parseSchemaText(text: string): Promise<Record<string, unknown>> {
  const value = await parse(text);
  if (isRecord(value)) return value;
  throw new SchemaError(`The JSON text must hold an object, not ${kindOf(value)}.`);
}

async function parse(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const { explainFault, positionAt } = await import('../files/json-text.js');
    const { message, offset } = explainFault(text, { comments: false });
    const { line, column } = positionAt(text, offset);
    const reason = text.trim() === '' ? 'The JSON text is empty.' : message;
    throw new SchemaError(`${reason} (line ${line}, column ${column})`, [], { cause });
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
