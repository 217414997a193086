import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../extension/definition-shapes.js';
import { hashBase64, hashFiles } from './file-hashes.js';

/** What tells whether a package that came with another one is still the one that came. */
export interface DependencyFingerprint {
  /** Null: it does not say. */
  readonly version: string | null;
  /** SHA-256 of its files and where they are. */
  readonly digest: string;
  /** It is an extension itself, whose items servers may list. */
  readonly isExtension: boolean;
}

/** By path below `node_modules`: `left`, or `right/node_modules/left` where another version of it is needed. */
export type Dependencies = Readonly<Record<string, DependencyFingerprint>>;

/** Everything that npm installed together with a package. What lies in that itself belongs to its fingerprint. */
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

/** The part of a file's path that leads to its package. */
const packagePath = /^(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;

async function readDependencyFacts(
  directory: string,
): Promise<Pick<DependencyFingerprint, 'version' | 'isExtension'>> {
  const text = await readFile(path.join(directory, 'package.json'), 'utf8').catch(() => 'null');
  const value = parsed(text);
  const { version, agenttools } = isRecord(value) ? value : {};
  return { version: typeof version === 'string' ? version : null, isExtension: agenttools !== undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A dependency that is other than before, new or gone. */
export interface ChangedDependency {
  readonly name: string;
  readonly before?: DependencyFingerprint;
  readonly after?: DependencyFingerprint;
}

/** Compares what came with a package in two states of it. */
export function compareDependencies(before: Dependencies, after: Dependencies): readonly ChangedDependency[] {
  const old = new Map(Object.entries(before));
  const now = new Map(Object.entries(after));
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((name) => {
    const [one, other] = [old.get(name), now.get(name)];
    if (one?.digest === other?.digest) return [];
    return [{ name, ...(one && { before: one }), ...(other && { after: other }) }];
  });
}

/** How a dependency differs, in a few words. */
export function dependencyDifference({ name, before, after }: ChangedDependency): string {
  const what = `dependency ${name}`;
  if (!before) return `${what} ${formatVersion(after)} is new`;
  if (!after) return `${what} ${formatVersion(before)} is gone`;
  const isSameVersion = before.version === after.version;
  return isSameVersion
    ? `${what} ${formatVersion(before)} has other files`
    : `${what} is ${formatVersion(after)} instead of ${formatVersion(before)}`;
}

/** A dependency's version, as people are told. */
export function formatVersion(print: DependencyFingerprint | undefined): string {
  return print?.version ?? 'without a version';
}
