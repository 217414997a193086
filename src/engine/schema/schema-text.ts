import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { SchemaError } from './schema-error.js';

/** Parses a JSON text that holds an object. @throws SchemaError with the message of the JSON parser */
export function parseSchemaText(text: string): Record<string, unknown> {
  // A file read without decoding can begin with a byte order mark.
  const value = parseSchemaJson(text.replace(/^\uFEFF/, ''));
  if (isRecord(value)) return value;
  throw new SchemaError(`The JSON text must hold an object, not ${describeJsonType(value)}.`);
}

function parseSchemaJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The message quotes the text, with its line breaks.
    const message = errorMessage(cause).replace(/\s+/g, ' ');
    throw new SchemaError(`Not valid JSON: ${message}.`, [], { cause });
  }
}

function describeJsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
