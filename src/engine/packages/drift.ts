import { Extension } from '../extension/extension.js';
import { compare, differences } from './comparison.js';
import { fingerprintOf } from './fingerprint.js';
import { type PackageRecord, readRecord } from './record.js';
import type { PackagesSetting } from './setting.js';
import { Shelf } from './shelf.js';

/**
 * How packages are not what was added, a line for each difference. Of a package that was not added nothing is known,
 * which is a line too. Bundled extensions and servers of the user are not packages. No code is run.
 */
export async function driftOf(
  extensions: readonly Extension[],
  setting: Pick<PackagesSetting, 'packagesFolder'>,
): Promise<readonly string[]> {
  const packages = extensions.filter(({ origin }) => origin === 'package');
  const distinct = new Map(packages.map((extension) => [extension.manifest.directory, extension]));
  const lines = await Promise.all([...distinct.values()].map((one) => linesAbout(one, setting)));
  return lines.flat();
}

async function linesAbout(
  { name, manifest: { directory } }: Extension,
  { packagesFolder }: Pick<PackagesSetting, 'packagesFolder'>,
): Promise<readonly string[]> {
  const installation = await new Shelf(packagesFolder).installationOf(directory, name);
  const record = installation === undefined ? undefined : await readRecord(installation);
  if (!record) return [`${name} was not added by agenttools add: ${directory}`];
  return (await driftFrom(record, directory)).map((difference) => `${name}: ${difference}`);
}

/** How a package on disk is not the one that was added, in a few words each. */
export async function driftFrom(
  { fingerprint }: PackageRecord,
  directory: string,
): Promise<readonly string[]> {
  // Opened anew: who asks may have read it a while ago.
  const now = await Extension.open(directory).catch(() => undefined);
  return now ? differences(compare(fingerprint, await fingerprintOf(now))) : ['its manifest cannot be read'];
}
