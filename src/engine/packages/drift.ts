import { AgentToolsError } from '../base/errors.js';
import { visibleMessage } from '../base/visible-text.js';
import { Extension } from '../extension/extension.js';
import { compare, differences } from './compare-states.js';
import { compareDependencies, dependencyDifference, readDependencies } from './dependencies.js';
import { fingerprintExtension } from './fingerprint.js';
import { type AddedPackage, PackageStore } from './package-store.js';
import type { PackagesDeps } from './packages-dependencies.js';

/**
 * Describes how packages and their dependencies differ from the added ones, one line per difference. A
 * package that was neither added nor installed as a dependency is unknown, which is a line too. Skips bundled
 * extensions and user servers. Runs no code.
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
    const added = await shelf.findByFolder(manifest.directory);
    if (added) known.set(added.installation, added);
    else unknown.add(`${name} was not added by agenttools add: ${manifest.directory}`);
  }
  const lines = await Promise.all(
    [...known.values()].map(async (added) => [
      ...(await findDrift(added)).map((difference) => `${added.name}: ${difference}`),
      ...(await shelf.foreignLinksTo(added)).map((name) => `${name}: it leads to a part of ${added.name}`),
    ]),
  );
  return [...lines.flat(), ...unknown];
}

/**
 * Describes how an added package on disk and its dependencies differ from the record, in a few words each.
 */
export async function findDrift(added: AddedPackage): Promise<readonly string[]> {
  const parts = await Promise.all(
    [ownDrift, dependencyDrift].map((part) => part(added).catch(errorToDifference)),
  );
  return parts.flat();
}

async function ownDrift({ directory, record }: AddedPackage): Promise<readonly string[]> {
  // Opened again, since the caller may have read it some time ago.
  const now = await Extension.open(directory).catch(() => undefined);
  if (!now) return ['its manifest cannot be read'];
  return differences(compare(record.fingerprint, await fingerprintExtension(now)));
}

async function dependencyDrift({ name, installation, record }: AddedPackage): Promise<readonly string[]> {
  const dependencies = await readDependencies(name, installation);
  return compareDependencies(record.dependencies, dependencies).map(dependencyDifference);
}

/** An unreadable part is a difference: it was readable when added. */
function errorToDifference(error: unknown): readonly string[] {
  if (error instanceof AgentToolsError) return [visibleMessage(error.message).replace(/\.$/, '')];
  throw error;
}
