import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJsonOrUndefined } from '../base/text-codecs.js';
import { isRecord } from '../base/value-checks.js';
import { hashBase64, hashFiles } from './file-hashes.js';

/** Fingerprint of a dependency. */
export interface DependencyFingerprint {
  /** Null if its `package.json` has no version. */
  readonly version: string | null;
  /** SHA-256 of its files and their paths. */
  readonly digest: string;
  /** True if the dependency is itself an extension. Servers may list its items. */
  readonly isExtension: boolean;
}

/** By path below `node_modules`: `left`, or `right/node_modules/left` for a second version. */
export type Dependencies = Readonly<Record<string, DependencyFingerprint>>;

/**
 * Fingerprints of all packages that npm installed together with a package. Files inside the package itself
 * belong to its own fingerprint.
 */
export async function readDependencies(name: string, installation: string): Promise<Dependencies> {
  const folder = path.join(installation, 'node_modules');
  const isWanted = (file: string) => !file.startsWith(`${name}/`) && file !== '.package-lock.json';
  const filesOf = new Map<string, string[]>();
  for (const [file, hash] of await hashFiles(folder, isWanted)) {
    const [place] = packagePath.exec(file)!;
    const lines = filesOf.get(place) ?? [];
    lines.push(`${file}\n${hash}\n`);
    filesOf.set(place, lines);
  }
  const prints = [...filesOf].map(async ([place, lines]) => {
    const facts = await readDependencyFacts(path.join(folder, place));
    return [place, { ...facts, digest: hashBase64(lines.join('')) }] as const;
  });
  return Object.fromEntries(await Promise.all(prints));
}

/** The part of a file path that is the path of its package. */
const packagePath = /^(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;

async function readDependencyFacts(
  directory: string,
): Promise<Pick<DependencyFingerprint, 'version' | 'isExtension'>> {
  const text = await readFile(path.join(directory, 'package.json'), 'utf8').catch(() => 'null');
  const value = parseJsonOrUndefined(text);
  const { version, agenttools } = isRecord(value) ? value : {};
  return { version: typeof version === 'string' ? version : null, isExtension: agenttools !== undefined };
}

/** A dependency that is new, removed or changed. */
export interface ChangedDependency {
  readonly name: string;
  readonly before?: DependencyFingerprint;
  readonly after?: DependencyFingerprint;
}

/** Compares the dependencies of two states of a package. */
export function compareDependencies(before: Dependencies, after: Dependencies): readonly ChangedDependency[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((name) => {
    const [one, other] = [old.get(name), now.get(name)];
    if (one?.digest === other?.digest) return [];
    return [{ name, ...(one && { before: one }), ...(other && { after: other }) }];
  });
}

/** Describes the change of a dependency in a few words. */
export function dependencyDifference({ name, before, after }: ChangedDependency): string {
  const what = `dependency ${name}`;
  if (!before) return `${what} ${formatVersion(after)} is new`;
  if (!after) return `${what} ${formatVersion(before)} is gone`;
  const isSameVersion = before.version === after.version;
  return isSameVersion
    ? `${what} ${formatVersion(before)} has other files`
    : `${what} is ${formatVersion(after)} instead of ${formatVersion(before)}`;
}

/** Version of a dependency, for messages. */
export function formatVersion(print: DependencyFingerprint | undefined): string {
  return print?.version ?? 'without a version';
}
