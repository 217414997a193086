import { servedLists } from '../extension/check.js';
import type { Extension } from '../extension/extension.js';
import { parseQualifiedName } from '../extension/names.js';
import { isRecord } from '../extension/shapes.js';
import { readItems } from './items.js';

/** That somebody needs an item of a package. */
export interface Reference {
  /** Who, as messages call it. */
  readonly by: string;
  /** Qualified name. */
  readonly item: string;
}

/** Who needs items of a package, as far as that can be told. */
export interface Needs {
  readonly references: readonly Reference[];
  /** A sentence about each place that would tell and cannot be read. */
  readonly unreadable: readonly string[];
}

/**
 * The servers of some extensions that list items of a package. Servers that are defined by code are not asked: it is not
 * run for that.
 */
export async function findDependents(
  packageName: string,
  extensions: readonly Extension[],
): Promise<readonly Reference[]> {
  const found = await Promise.all(extensions.map((extension) => referencesIn(extension, packageName)));
  return found.flat();
}

async function referencesIn(extension: Extension, packageName: string): Promise<readonly Reference[]> {
  const servers = await readItems(extension, ['servers']);
  return servers.flatMap(({ name, value = {} }) => {
    const entries = servedLists.flatMap((kind) =>
      Array.isArray(value[kind]) ? (value[kind] as unknown[]) : [],
    );
    const named = entries.map((entry) => (isRecord(entry) ? entry.use : entry));
    const items = named.filter((item) => typeof item === 'string');
    return [...new Set(items)]
      .filter((item) => parseQualifiedName(item)?.package === packageName)
      .map((item) => ({ by: extension.qualify(name), item }));
  });
}
