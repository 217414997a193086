import { findTypo } from './keyword-typo.js';

/** Formats of JSON Schema, and further ones that the validator checks. */
const formats: ReadonlySet<string> = new Set([
  ...['date', 'time', 'date-time', 'duration', 'email', 'idn-email', 'hostname', 'idn-hostname', 'ipv4'],
  ...['ipv6', 'uri', 'uri-reference', 'iri', 'iri-reference', 'uri-template', 'uuid', 'json-pointer'],
  ...['relative-json-pointer', 'regex', 'url', 'iso-time', 'iso-date-time', 'json-pointer-uri-fragment'],
  ...['byte', 'int32', 'int64', 'float', 'double', 'password', 'binary'],
]);

/** Suggests the format that a misspelt one means; undefined for known formats and foreign ones. */
export function suggestFormat(format: unknown): string | undefined {
  if (typeof format !== 'string' || formats.has(format) || isSized.test(format)) return undefined;
  return findTypo(format, formats);
}

/** Number formats of other vocabularies, such as `int16` and `uint32`. */
const isSized = /\d$/;
