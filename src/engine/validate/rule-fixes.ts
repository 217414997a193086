import { onlyMeaning } from '../base/did-you-mean.js';
import { isRecord } from '../base/value-checks.js';
import type { Fix, Location } from '../extension/diagnostics.js';

/** Files that fixes may change. */
const dataFile = /\.jsonc?$/;

/** The only known key that a mistyped one can mean; undefined if the object has it already. */
export function freeMeaning(key: string, known: readonly string[], holder: unknown): string | undefined {
  const meant = onlyMeaning(key, known);
  return meant !== undefined && isRecord(holder) && Object.hasOwn(holder, meant) ? undefined : meant;
}

/** Renames the key at a location; undefined without a new name, or if the location is not in a data file. */
export function renameFix({ file, path }: Location, key: string, name: string | undefined): Fix | undefined {
  if (name === undefined || !path || !dataFile.test(file)) return undefined;
  return { file, edits: [{ path, rename: name }], what: `renames "${key}" to "${name}"` };
}

/** Replaces the text at a location; undefined as for {@link renameFix}. */
export function valueFix({ file, path }: Location, text: string, value: string | undefined): Fix | undefined {
  if (value === undefined || !path || !dataFile.test(file)) return undefined;
  return { file, edits: [{ path, value }], what: `changes "${text}" to "${value}"` };
}

/** Adds a text to a list of package.json, unless its value is not a list. */
export function packageListFix(
  packageJson: unknown,
  key: 'files' | 'keywords',
  text: string,
): Fix | undefined {
  const held = (packageJson as Readonly<Record<string, unknown>>)[key];
  if (held !== undefined && !Array.isArray(held)) return undefined;
  return {
    file: 'package.json',
    edits: [{ path: [key], append: text }],
    what: `adds "${text}" to "${key}"`,
  };
}
