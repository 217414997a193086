import type { PlainData } from '../base/plain-data.js';
import { describeValue } from '../extension/described-value.js';
import { importModule, readDefaultExport } from '../extension/import-module.js';
import { copyOfExport } from '../extension/live-definition.js';

/**
 * Loads a definition module and describes its default export as JSON data, for {@link readDescription} in the front.
 * `file` is absolute. Rejects if the module cannot be loaded.
 */
export async function describeModule(file: string): Promise<PlainData> {
  const { live } = await readDefaultExport(await importModule(file));
  const { value, faults } = copyOfExport(live);
  const described = await describeValue(value, file);
  return { value: described.value, faults: [...faults, ...described.faults] };
}
