import { isRecord } from '../base/value-checks.js';
import { servedLists } from '../extension/check-definition.js';
import type { Extension } from '../extension/extension.js';
import { parseQualifiedName } from '../extension/names.js';
import { readItems } from './items.js';

/** A reference to an item of a package. */
export interface DependentReference {
  /** Name of the dependent, for messages. */
  readonly by: string;
  /** Qualified name. */
  readonly item: string;
}

/** Known dependents of a package. */
export interface Dependents {
  readonly references: readonly DependentReference[];
  /** One sentence for each source that cannot be read. */
  readonly unreadable: readonly string[];
}

/**
 * Finds servers of extensions that list items of a package. Skips servers defined by code, which is not run.
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
