import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceTextFile } from '../base/files/replace.js';
import { readTextFile } from '../base/files/text-file.js';
import { isRecord, isString, isStringOrNull } from '../base/value-checks.js';
import type { Publication, ServerOutline } from './listed-server.js';

/** A package of a registry with its servers. */
export interface RemotePackage {
  readonly name: string;
  readonly publication: Publication;
  readonly servers: readonly ServerOutline[];
  /** Skipped parts of the package, with reasons. */
  readonly notes: readonly string[];
}

/** A package of a registry that is not listed. */
export interface LeftOutPackage {
  readonly name: string;
  /** Kind of reason, in a word or two. */
  readonly reason: string;
  readonly message: string;
}

/** Packages of a registry at the time of a search. */
export interface RegistryListing {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly packages: readonly RemotePackage[];
  readonly leftOut: readonly LeftOutPackage[];
  /** Further notes for the user. */
  readonly notes: readonly string[];
}

/** Version of the cache format. Increase it with every change of the format. */
const format = 2;

/** Reads a cached listing; undefined if there is no valid one. */
export async function readListing(file: string, now: number): Promise<RegistryListing | undefined> {
  try {
    const { text } = await readTextFile(file);
    const kept: unknown = JSON.parse(text ?? 'null');
    if (!isRecord(kept) || kept.format !== format || !isListing(kept) || kept.time > now) return undefined;
    const { time, packages, leftOut, notes } = kept;
    return { time, packages, leftOut, notes };
  } catch {
    return undefined;
  }
}

/** Caches a listing. Best effort: without the cache, the registry is searched again. */
export async function keepListing(file: string, listing: RegistryListing): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await replaceTextFile(await readTextFile(file), JSON.stringify({ format, ...listing }));
  } catch {
    // A cache failure is not an error.
  }
}

function isListing(value: Record<string, unknown>): value is Record<string, unknown> & RegistryListing {
  const lists = isListOfValid(isString, value.notes) && isListOfValid(isLeftOut, value.leftOut);
  return Number.isFinite(value.time) && lists && isListOfValid(isRemotePackage, value.packages);
}

function isLeftOut(value: unknown): boolean {
  return isRecord(value) && isString(value.name) && isString(value.reason) && isString(value.message);
}

function isRemotePackage(value: unknown): boolean {
  if (!isRecord(value) || !isString(value.name) || !isRecord(value.publication)) return false;
  const { publisher, published, provenance } = value.publication;
  const isPublication =
    isStringOrNull(publisher) && isStringOrNull(published) && typeof provenance === 'boolean';
  return isPublication && isListOfValid(isOutline, value.servers) && isListOfValid(isString, value.notes);
}

function isOutline(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { name, description, version, tools, prompts } = value;
  const texts = isString(name) && isStringOrNull(description) && isString(version);
  return texts && isListOfValid(isString, tools) && isListOfValid(isString, prompts);
}

function isListOfValid(isEntry: (value: unknown) => boolean, value: unknown): boolean {
  return Array.isArray(value) && value.every(isEntry);
}
