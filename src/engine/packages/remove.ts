import { AgentToolsError } from '../errors.js';
import { Extension } from '../extension/extension.js';
import { isPackageName } from '../extension/names.js';
import { didYouMean } from '../spelling.js';
import { type Reference, referencesTo } from './references.js';
import { type AddedPackage, Shelf } from './shelf.js';

export interface RemovalSetting {
  /** The `node_modules` of packages that AgentTools itself installed. */
  readonly packagesFolder: string;
  /** The extension that holds the servers which users made. */
  readonly userServersFolder: string;
  /** Who else needs items of a package, such as clients. */
  readonly referencesTo: (packageName: string) => Promise<readonly Reference[]>;
}

export interface RemovalOptions {
  /** Whether it goes although something needs it. */
  readonly force: boolean;
  /** Packages that go as well, whose needs do not count. */
  readonly together: readonly string[];
}

export interface Removal {
  readonly removed: AddedPackage;
  /** Who goes without its items now. */
  readonly references: readonly Reference[];
}

/**
 * Takes a package that was added away, with the dependencies that came with it.
 * @throws AgentToolsError if it was not added; `refused` if something still needs it, unless forced.
 */
export async function removePackage(
  name: string,
  { force, together }: RemovalOptions,
  setting: RemovalSetting,
): Promise<Removal> {
  const shelf = new Shelf(setting.packagesFolder);
  return await shelf.exclusively(async () => {
    const packages = await shelf.all();
    const removed = packages.find((one) => one.name === name) ?? unknown(name, packages);
    const staying = packages.filter((one) => one !== removed && !together.includes(one.name));
    const opening = [
      ...staying.map(({ directory }) => Extension.open(directory)),
      Extension.open(setting.userServersFolder, { origin: 'user' }),
    ];
    const extensions = await Promise.all(opening.map((one) => one.catch(() => undefined)));
    const references = [
      ...(await referencesTo(
        name,
        extensions.filter((one) => one !== undefined),
      )),
      ...(await setting.referencesTo(name)),
    ];
    if (references.length > 0 && !force) {
      const lines = references.map(({ by, item }) => `  ${by} needs ${item}`);
      const message = `${name} is still needed:\n${lines.join('\n')}\nTake those out first, or remove it all the same with --force.`;
      throw new AgentToolsError('refused', message);
    }
    await shelf.takeOff(removed);
    return { removed, references };
  });
}

/** @throws AgentToolsError saying which packages there are. */
export function unknown(name: string, packages: readonly AddedPackage[]): never {
  const names = packages.map((one) => one.name);
  const meant = didYouMean(name, names);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  const form = isPackageName(name) ? '' : ' Give the name of a package, without a version or a server.';
  const known = names.length === 0 ? 'No package was added.' : `Added packages: ${names.join(', ')}.`;
  throw new AgentToolsError('not-found', `${name} is not a package that was added.${hint}${form} ${known}`);
}
