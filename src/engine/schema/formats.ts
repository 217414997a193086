import { findTypo } from './keyword-typo.js';

/** The formats of JSON Schema, and those that are checked besides. */
const formats: ReadonlySet<string> = new Set([
  ...['date', 'time', 'date-time', 'duration', 'email', 'idn-email', 'hostname', 'idn-hostname', 'ipv4'],
  ...['ipv6', 'uri', 'uri-reference', 'iri', 'iri-reference', 'uri-template', 'uuid', 'json-pointer'],
  ...['relative-json-pointer', 'regex', 'url', 'iso-time', 'iso-date-time', 'json-pointer-uri-fragment'],
  ...['byte', 'int32', 'int64', 'float', 'double', 'password', 'binary'],
]);

/** The format that a misspelt one was meant to be; undefined for known ones, and for those of others. */
export function suggestFormat(format: unknown): string | undefined {
  if (typeof format !== 'string' || formats.has(format) || isSized.test(format)) return undefined;
  return findTypo(format, formats);
}

/** Kinds of number that others know: `int16`, `uint32`. */
const isSized = /\d$/;
