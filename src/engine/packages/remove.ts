import { AgentToolsError } from '../base/errors.js';
import { Extension } from '../extension/extension.js';
import { type Dependents, findDependents } from './dependents.js';
import { type AddedPackage, PackageStore } from './package-store.js';

export interface RemovalDeps {
  /** The `node_modules` of the package store. */
  readonly packagesFolder: string;
  /** The extension that holds the user servers; undefined if no server was created. */
  readonly userServers: () => Promise<Extension | undefined>;
  /** Returns other dependents of a package, such as clients. */
  readonly needsOf: (packageName: string) => Promise<Dependents>;
}

export interface RemovalOptions {
  /** True to remove packages even if they are needed, or their dependents cannot be read. */
  readonly force: boolean;
}

/** A removed package, with its former dependents. */
interface RemovedPackage extends Dependents {
  readonly removed: AddedPackage;
}

/** Outcome of a removal. */
export type RemovalResult = RemovedPackage | { readonly name: string; readonly error: AgentToolsError };

/**
 * Removes added packages together with their dependencies. Removes none of them if one was not added or,
 * unless forced, is still needed.
 */
export async function removePackages(
  names: readonly string[],
  { force }: RemovalOptions,
  setting: RemovalDeps,
): Promise<readonly RemovalResult[]> {
  const shelf = new PackageStore(setting.packagesFolder);
  return await shelf.exclusively(async () => {
    const results: RemovalResult[] = [];
    for (const name of new Set(names)) {
      const looking = requireRemovable(name, { shelf, together: names, force, setting });
      results.push(await looking.catch(removalFailure(name)));
    }
    const failed = results.flatMap((result) => ('error' in result ? [result.name] : []));
    for (const [index, result] of results.entries()) {
      if ('error' in result) continue;
      const { name } = result.removed;
      if (failed.length === 0) await shelf.delete(result.removed);
      else results[index] = { name, error: explainKeptPackage(name, failed) };
    }
    return results;
  });
}

function removalFailure(name: string): (error: unknown) => RemovalResult {
  return (error) => {
    if (error instanceof AgentToolsError) return { name, error };
    throw error;
  };
}

function explainKeptPackage(name: string, failed: readonly string[]): AgentToolsError {
  const message = `${name} stays, because packages are removed together or not at all: see ${failed.join(', ')}.`;
  return new AgentToolsError('refused', message);
}

interface RemovalContext extends RemovalOptions {
  readonly shelf: PackageStore;
  /** Packages that are removed in the same call. Their dependents do not count. */
  readonly together: readonly string[];
  readonly setting: RemovalDeps;
}

/** @throws AgentToolsError if a package cannot be removed. */
async function requireRemovable(
  name: string,
  { shelf, together, force, setting }: RemovalContext,
): Promise<RemovedPackage> {
  const removed = await shelf.require(name);
  const staying = (await shelf.all()).filter((one) => !together.includes(one.name));
  const needs = await Promise.all([
    needsOfPackages(name, staying),
    needsOfUser(name, setting),
    setting.needsOf(name),
  ]);
  const references = needs.flatMap((one) => one.references);
  const unreadable = needs.flatMap((one) => one.unreadable);
  if (force || references.length + unreadable.length === 0) return { removed, references, unreadable };
  const lines = references.map(({ by, item }) => `  ${by} needs ${item}`);
  const message =
    references.length > 0
      ? [`${name} is still needed:`, ...lines, ...unreadable, 'Remove these first, or']
      : [`Cannot check if ${name} is still needed:`, ...unreadable, 'Fix that first, or'];
  throw new AgentToolsError('refused', `${message.join('\n')} remove it anyway with --force.`);
}

/** A package that cannot be opened is not served, and needs no other package. */
async function needsOfPackages(name: string, packages: readonly AddedPackage[]): Promise<Dependents> {
  const opening = packages.map(({ directory }) => Extension.open(directory).catch(() => undefined));
  const extensions = (await Promise.all(opening)).filter((one) => one !== undefined);
  return { references: await findDependents(name, extensions), unreadable: [] };
}

async function needsOfUser(name: string, { userServers }: RemovalDeps): Promise<Dependents> {
  try {
    const extension = await userServers();
    return { references: extension ? await findDependents(name, [extension]) : [], unreadable: [] };
  } catch (error) {
    if (!(error instanceof AgentToolsError)) throw error;
    return { references: [], unreadable: [error.message] };
  }
}
