import { AgentToolsError } from '../base/errors.js';
import { visibleMessage } from '../base/visible-text.js';
import { Extension } from '../extension/extension.js';
import { compare, differences } from './compare-states.js';
import { compareDependencies, dependencyDifference, readDependencies } from './dependencies.js';
import { fingerprintExtension } from './fingerprint.js';
import { type AddedPackage, PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';

/**
 * How packages, and what came with them, are not what was added, a line for each difference. Of a package that neither was
 * added nor came with one nothing is known, which is a line too. Bundled extensions and servers of the user are not
 * packages. No code is run.
 */
export async function describeDrift(
  extensions: readonly Extension[],
  { packagesFolder }: Pick<PackagesDeps, 'packagesFolder'>,
): Promise<readonly string[]> {
  const shelf = new PackageStore(packagesFolder);
  const known = new Map<string, AddedPackage>();
  const unknown = new Set<string>();
  for (const { name, origin, manifest } of extensions) {
    if (origin !== 'package') continue;
    const added = await shelf.around(manifest.directory);
    if (added) known.set(added.installation, added);
    else unknown.add(`${name} was not added by agenttools add: ${manifest.directory}`);
  }
  const lines = await Promise.all(
    [...known.values()].map(async (added) => [
      ...(await findDrift(added)).map((difference) => `${added.name}: ${difference}`),
      ...(await shelf.strangeNamesOf(added)).map((name) => `${name}: it leads to a part of ${added.name}`),
    ]),
  );
  return [...lines.flat(), ...unknown];
}

/** How a package on disk, and what came with it, is not what was added, in a few words each. */
export async function findDrift(added: AddedPackage): Promise<readonly string[]> {
  const parts = await Promise.all(
    [ownDrift, dependencyDrift].map((part) => part(added).catch(errorToDifference)),
  );
  return parts.flat();
}

async function ownDrift({ directory, record }: AddedPackage): Promise<readonly string[]> {
  // Opened anew: who asks may have read it a while ago.
  const now = await Extension.open(directory).catch(() => undefined);
  if (!now) return ['its manifest cannot be read'];
  return differences(compare(record.fingerprint, await fingerprintExtension(now)));
}

async function dependencyDrift({ name, installation, record }: AddedPackage): Promise<readonly string[]> {
  const dependencies = await readDependencies(name, installation);
  return compareDependencies(record.dependencies, dependencies).map(dependencyDifference);
}

/** What was added could be read. */
function errorToDifference(error: unknown): readonly string[] {
  if (error instanceof AgentToolsError) return [visibleMessage(error.message).replace(/\.$/, '')];
  throw error;
}
