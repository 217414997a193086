import { servedLists } from '../extension/check-definition.js';
import { isRecord } from '../extension/definition-shapes.js';
import type { Extension } from '../extension/extension.js';
import { parseQualifiedName } from '../extension/names.js';
import { readItems } from './items.js';

/** That somebody needs an item of a package. */
export interface DependentReference {
  /** Who, as messages call it. */
  readonly by: string;
  /** Qualified name. */
  readonly item: string;
}

/** Who needs items of a package, as far as that can be told. */
export interface Dependents {
  readonly references: readonly DependentReference[];
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
): Promise<readonly DependentReference[]> {
  const found = await Promise.all(extensions.map((extension) => findReferences(extension, packageName)));
  return found.flat();
}

async function findReferences(
  extension: Extension,
  packageName: string,
): Promise<readonly DependentReference[]> {
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
