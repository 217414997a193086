import type { PlainData } from '../base/plain-data.js';
import { describeValue } from '../extension/described-value.js';
import { importModule, readDefaultExport } from '../extension/import-module.js';
import { copyOfExport } from '../extension/live-definition.js';

/**
 * Loads a definition module and describes its default export as JSON data, for {@link readDescription} in the front.
 * `file` is absolute. Rejects if the module cannot be loaded.
 */
export async function describeModule(file: string): Promise<PlainData> {
  const read = await readDefaultExport(await importModule(file), file);
  if (!('live' in read)) return read;
  const { value, faults } = copyOfExport(read.live);
  const described = await describeValue(value, file);
  return { value: described.value, faults: [...faults, ...described.faults] };
}
